# nx_ops.exs: values and ops of Nx as source: see nx.exs.

defmodule Adjudge.Unsupported do
  defexception [:message]
end

defmodule Adjudge.Value do
  @moduledoc "Types as {dtype, shape} and elements as numbers or :nan, :infinity, :neg_infinity."

  @types %{"f64" => {:f, 64}, "f32" => {:f, 32}, "i64" => {:s, 64}, "i32" => {:s, 32}, "bool" => {:u, 8}}
  @names Map.new(@types, fn {name, type} -> {type, name} end)
  @words %{"nan" => :nan, "inf" => :infinity, "-inf" => :neg_infinity}

  def float?({dtype, _}), do: dtype in ["f64", "f32"]

  def type(text) do
    [dtype, extents] = String.split(String.trim_trailing(text, "]"), "[")
    shape = extents |> String.split(",", trim: true) |> Enum.map(&String.to_integer/1)
    if 0 in shape, do: raise(Adjudge.Unsupported, "an axis of no elements")
    {dtype, shape}
  end

  def named(text) do
    [name, type] = String.split(text, ": ")
    {name, type(type)}
  end

  # ---- reading: reals are the bits of a binary64 ----

  def flat(data, {dtype, _} = type) do
    for v <- List.wrap(data) do
      cond do
        dtype == "bool" -> if v, do: 1, else: 0
        float?(type) -> real(String.to_integer(v, 16))
        is_binary(v) -> String.to_integer(v)
        true -> v
      end
    end
  end

  defp real(bits) do
    case <<bits::64>> do
      <<x::float-64>> -> x
      <<0x7FF0000000000000::64>> -> :infinity
      <<0xFFF0000000000000::64>> -> :neg_infinity
      _ -> :nan
    end
  end

  # ---- source ----

  def atom({dtype, _}) do
    {kind, size} = @types[dtype]
    ":#{kind}#{size}"
  end

  def tensor(values, {_, shape} = type), do: "Nx.tensor(#{literal(values, shape)}, type: #{atom(type)})"
  def scalar(value, {dtype, _}), do: tensor([value], {dtype, []})
  def filled(value, {_, shape} = type), do: "Nx.broadcast(#{scalar(value, type)}, #{tuple(shape)})"
  def tuple(list), do: "{#{Enum.join(list, ", ")}}"
  def list(list), do: "[#{Enum.join(list, ", ")}]"

  defp literal([value], []), do: inspect(value)
  defp literal(values, [_]), do: list(Enum.map(values, &inspect/1))

  defp literal(values, [extent | rest]),
    do: values |> Enum.chunk_every(div(length(values), extent)) |> Enum.map(&literal(&1, rest)) |> list()

  # ---- writing ----

  def out(t, wanted) do
    dtype = if(t.type == {:u, 8} and wanted == "bool", do: "bool", else: Map.get(@names, t.type) || raise("a tensor of #{inspect(t.type)}"))
    %{type: "#{dtype}[#{t.shape |> Tuple.to_list() |> Enum.join(",")}]", data: t |> Nx.to_flat_list() |> Enum.map(&number(&1, dtype))}
  end

  defp number(v, "bool"), do: v != 0
  defp number(v, _) when is_integer(v), do: if(abs(v) > 2 ** 53, do: to_string(v), else: v)
  defp number(v, _) when is_float(v), do: Base.encode16(<<v::float-64>>, case: :lower)
  defp number(v, _), do: Enum.find_value(@words, fn {word, atom} -> atom == v && word end)
end

defmodule Adjudge.Ops do
  @moduledoc "An op as source: a template, where {0} is the first operand, or a function of the node."
  import Adjudge.Value

  @templates %{
    "neg" => "Nx.negate({0})", "square" => "Nx.multiply({0}, {0})", "logistic" => "Nx.sigmoid({0})", "copy" => "{0}", "stop_gradient" => "stop_grad({0})",
    "add" => "Nx.add({0}, {1})", "sub" => "Nx.subtract({0}, {1})", "mul" => "Nx.multiply({0}, {1})", "pow" => "Nx.pow({0}, {1})",
    "atan2" => "Nx.atan2({0}, {1})", "max" => "Nx.max({0}, {1})", "min" => "Nx.min({0}, {1})",
    "eq" => "Nx.equal({0}, {1})", "ne" => "Nx.not_equal({0}, {1})", "lt" => "Nx.less({0}, {1})", "le" => "Nx.less_equal({0}, {1})",
    "gt" => "Nx.greater({0}, {1})", "ge" => "Nx.greater_equal({0}, {1})", "bitwise_invert" => "Nx.bitwise_not({0})"
  }
  @unary ~w(abs sign sqrt rsqrt exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf floor ceil logical_not)
  @binary ~w(logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor)
  @functions ~w(constant div clamp select cast iota broadcast_to reshape squeeze transpose reverse slice slice_scatter dynamic_slice dynamic_update_slice pad
    concatenate gather take_along_axis scatter_set scatter_add reduce_sum reduce_prod reduce_max reduce_min reduce_mean logsumexp norm cumsum cumprod matmul
    sort argsort argmax)

  def names, do: Map.keys(@templates) ++ @unary ++ @binary ++ @functions

  def source(n) do
    cond do
      template = @templates[n.op] -> Regex.replace(~r/\{(\d)\}/, template, fn _, k -> Enum.at(n.args, String.to_integer(k)) end)
      n.op in @unary -> "Nx.#{n.op}(#{arg(n, 0)})"
      n.op in @binary -> "Nx.#{n.op}(#{arg(n, 0)}, #{arg(n, 1)})"
      n.op in @functions -> rule(n.op, n)
      true -> raise Adjudge.Unsupported, "op #{n.op}"
    end
  end

  defp arg(n, k), do: Enum.at(n.args, k)
  defp shape(n, k), do: n |> dtype_shape(k) |> elem(1)
  defp dtype_shape(n, k), do: Enum.at(n.types, k)
  defp axis(n), do: n.raw["axis"] || 0
  defp shape_of({_, shape}), do: shape
  defp extent(n), do: Enum.at(shape(n, 0), axis(n))
  defp spread(n, k), do: if(shape(n, k) == shape_of(n.out), do: arg(n, k), else: "Nx.broadcast(#{arg(n, k)}, #{tuple(shape_of(n.out))})")

  defp constant(n, k), do: Enum.at(n.constants, k) || raise(Adjudge.Unsupported, "#{n.op} of an index that is no constant")

  defp rule("constant", n), do: tensor(n.value, n.out)
  defp rule("iota", n), do: "Nx.iota(#{tuple(n.raw["shape"])}, axis: #{axis(n)}, type: #{atom(n.out)})"

  defp rule("div", n) do
    unless float?(n.out), do: raise(Adjudge.Unsupported, "integer division")
    "Nx.divide(#{arg(n, 0)}, #{arg(n, 1)})"
  end

  defp rule("clamp", n) do
    if shape(n, 1) == [] and shape(n, 2) == [],
      do: "Nx.clip(#{Enum.join(n.args, ", ")})",
      else: "Nx.min(Nx.max(#{arg(n, 0)}, #{arg(n, 1)}), #{arg(n, 2)})"
  end

  defp rule("select", n), do: "Nx.select(#{spread(n, 0)}, #{spread(n, 1)}, #{spread(n, 2)})"

  defp rule("cast", n) do
    {to, _} = n.out

    cond do
      to == "bool" -> "Nx.not_equal(#{arg(n, 0)}, 0)"
      float?(dtype_shape(n, 0)) and not float?(n.out) -> raise Adjudge.Unsupported, "a cast of a float to an integer"
      true -> "Nx.as_type(#{arg(n, 0)}, #{atom(n.out)})"
    end
  end

  defp rule("broadcast_to", n), do: "Nx.broadcast(#{arg(n, 0)}, #{tuple(shape_of(n.out))})"
  defp rule("reshape", n), do: "Nx.reshape(#{arg(n, 0)}, #{tuple(shape_of(n.out))})"
  defp rule("squeeze", n), do: of_axes(n, "Nx.squeeze")
  defp rule("transpose", n), do: of_axes(n, "Nx.transpose")
  defp rule("reverse", n), do: of_axes(n, "Nx.reverse")

  # Positions start + k stride; Nx has no negative steps.
  defp rule("slice", n) do
    start = n.raw["start"]
    size = n.raw["size"]
    stride = n.raw["stride"] || Enum.map(size, fn _ -> 1 end)
    back = for {{s, k}, d} <- Enum.with_index(Enum.zip(stride, size)), s < 0 and k > 1, do: d
    x = if back == [], do: arg(n, 0), else: "Nx.reverse(#{arg(n, 0)}, axes: #{list(back)})"
    start = for {{a, extent}, d} <- Enum.with_index(Enum.zip(start, shape(n, 0))), do: if(d in back, do: extent - 1 - a, else: a)
    steps = for {s, k} <- Enum.zip(stride, size), do: if(k > 1, do: abs(s), else: 1)
    lengths = for {k, s} <- Enum.zip(size, steps), do: (k - 1) * s + 1
    if start == [], do: x, else: "Nx.slice(#{x}, #{list(start)}, #{list(lengths)}, strides: #{list(steps)})"
  end

  defp rule("slice_scatter", n) do
    start = n.raw["start"]
    size = shape(n, 1)
    stride = n.raw["stride"] || Enum.map(size, fn _ -> 1 end)

    cond do
      start == [] -> arg(n, 1)
      Enum.all?(Enum.zip(stride, size), fn {s, k} -> s == 1 or k == 1 end) -> "Nx.put_slice(#{arg(n, 0)}, #{list(start)}, #{arg(n, 1)})"
      true ->
        at = Enum.zip([start, stride, size]) |> Enum.map(fn {a, s, k} -> for i <- 0..(k - 1), do: a + i * s end) |> product()
        "Nx.indexed_put(#{arg(n, 0)}, #{tensor(Enum.concat(at), {"i64", [length(at), length(start)]})}, Nx.flatten(#{arg(n, 1)}))"
    end
  end

  # Both clamp their starts.
  defp rule("dynamic_slice", n),
    do: if(n.raw["size"] == [], do: arg(n, 0), else: "Nx.slice(#{arg(n, 0)}, #{starts(n, 1)}, #{list(n.raw["size"])})")

  defp rule("dynamic_update_slice", n),
    do: if(shape(n, 0) == [], do: arg(n, 1), else: "Nx.put_slice(#{arg(n, 0)}, #{starts(n, 2)}, #{arg(n, 1)})")

  defp rule("pad", n) do
    amounts = for {low, high} <- Enum.zip(n.raw["low"], n.raw["high"]), do: "{#{low}, #{high}, 0}"
    if amounts == [], do: arg(n, 0), else: "Nx.pad(#{arg(n, 0)}, #{arg(n, 1)}, #{list(amounts)})"
  end

  defp rule("concatenate", n), do: "Nx.concatenate(#{list(n.args)}, axis: #{axis(n)})"

  defp rule("gather", n) do
    {before, [_ | rest]} = Enum.split(shape(n, 0), axis(n))
    {at, kept} = positions(n)
    kept = kept && "Nx.reshape(#{kept}, #{tuple(Enum.map(before, fn _ -> 1 end) ++ shape(n, 1) ++ Enum.map(rest, fn _ -> 1 end))})"
    masked(n, kept, "Nx.take(#{arg(n, 0)}, #{at}, axis: #{axis(n)})")
  end

  defp rule("take_along_axis", n) do
    {at, kept} = positions(n)
    masked(n, kept, "Nx.take_along_axis(#{arg(n, 0)}, #{at}, axis: #{axis(n)})")
  end

  # Nx does not define which of several duplicates wins, so only the last one is handed over.
  defp rule("scatter_set", n) do
    at = resolved(constant(n, 1), n.raw["mode"], extent(n)) |> Enum.with_index()
    last = for {p, k} <- at, p != nil, not Enum.any?(at, fn {q, j} -> q == p and j > k end), do: {p, k}
    {index, from} = Enum.unzip(last)

    if last == [],
      do: arg(n, 0),
      else: indexed(n, "Nx.indexed_put", tensor(index, {"i64", [length(index), 1]}), "Nx.take(#{arg(n, 2)}, #{tensor(from, {"i64", [length(from)]})}, axis: #{axis(n)})")
  end

  defp rule("scatter_add", n) do
    [k] = shape(n, 1)
    {at, kept} = positions(n)
    rank = length(shape(n, 0))
    slices = "Nx.slice_along_axis(#{arg(n, 2)}, 0, #{k}, axis: #{axis(n)})"
    column = List.duplicate(1, rank) |> List.replace_at(axis(n), k)
    slices = if kept, do: "Nx.select(Nx.broadcast(Nx.reshape(#{kept}, #{tuple(column)}), #{tuple(List.replace_at(shape(n, 2), axis(n), k))}), #{slices}, #{scalar(0, n.out)})", else: slices
    indexed(n, "Nx.indexed_add", "Nx.reshape(#{at}, {#{k}, 1})", slices)
  end

  defp rule("reduce_sum", n), do: narrow(n, reduction(n, "Nx.sum"))
  defp rule("reduce_prod", n), do: narrow(n, reduction(n, "Nx.product"))
  defp rule("reduce_max", n), do: reduction(n, "Nx.reduce_max")
  defp rule("reduce_min", n), do: reduction(n, "Nx.reduce_min")
  defp rule("reduce_mean", n), do: reduction(n, "Nx.mean")
  defp rule("logsumexp", n), do: reduction(n, "Nx.logsumexp")
  defp rule("norm", %{raw: %{"axes" => [_ | _]}} = n), do: reduction(n, "Nx.LinAlg.norm")
  defp rule("norm", n), do: "Nx.abs(#{arg(n, 0)})"
  defp rule("cumsum", n), do: narrow(n, "Nx.cumulative_sum(#{arg(n, 0)}, axis: #{axis(n)})")
  defp rule("cumprod", n), do: narrow(n, "Nx.cumulative_product(#{arg(n, 0)}, axis: #{axis(n)})")
  defp rule("sort", n), do: "Nx.sort(#{arg(n, 0)}, axis: #{axis(n)}, stable: true)"
  defp rule("argsort", n), do: "Nx.argsort(#{arg(n, 0)}, axis: #{axis(n)}, stable: true, type: :s64)"
  defp rule("argmax", n), do: "Nx.argmax(#{arg(n, 0)}, axis: #{axis(n)}, type: :s64)"

  # Nx.dot batches all leading axes or none, so those of both sides are broadcast first.
  defp rule("matmul", n) do
    [a, b] = [shape(n, 0), shape(n, 1)]

    if length(a) <= 2 and length(b) <= 2 do
      "Nx.dot(#{arg(n, 0)}, #{arg(n, 1)})"
    else
      batch = shape_of(n.out) |> Enum.take(length(shape_of(n.out)) - min(length(a) - 1, 1) - min(length(b) - 1, 1))
      axes = list(Enum.to_list(0..(length(batch) - 1)))
      left = "Nx.broadcast(#{arg(n, 0)}, #{tuple(batch ++ Enum.take(a, -2))})"
      right = "Nx.broadcast(#{arg(n, 1)}, #{tuple(batch ++ Enum.take(b, -2))})"
      "Nx.dot(#{left}, [-1], #{axes}, #{right}, [#{length(batch)}], #{axes})"
    end
  end

  defp of_axes(n, call), do: if((n.raw["axes"] || []) == [], do: arg(n, 0), else: "#{call}(#{arg(n, 0)}, axes: #{list(n.raw["axes"])})")

  defp reduction(n, call) do
    axes = n.raw["axes"] || []
    if axes == [], do: arg(n, 0), else: "#{call}(#{arg(n, 0)}, axes: #{list(axes)}, keep_axes: #{n.raw["keepdims"] || false})"
  end

  # Sums and products of integers have 64 bits.
  defp narrow(n, text), do: if(float?(n.out), do: text, else: "Nx.as_type(#{text}, #{atom(n.out)})")

  defp starts(n, k), do: list(for d <- 0..(length(shape(n, 0)) - 1), do: "#{arg(n, k)}[#{d}]")

  # Source of operand 1 as positions on the axis, and of a mask of those that are not dropped, or nil.
  defp positions(n) do
    {x, extent} = {arg(n, 1), extent(n)}

    case n.raw["mode"] do
      "clip" -> {"Nx.clip(#{x}, 0, #{extent - 1})", nil}
      "wrap" -> {"Nx.remainder(Nx.add(Nx.remainder(#{x}, #{extent}), #{extent}), #{extent})", nil}
      "drop" -> {"Nx.clip(#{x}, 0, #{extent - 1})", "Nx.logical_and(Nx.greater_equal(#{x}, 0), Nx.less(#{x}, #{extent}))"}
    end
  end

  defp resolved(index, mode, extent) do
    for i <- index do
      cond do
        i in 0..(extent - 1) -> i
        mode == "drop" -> nil
        mode == "wrap" -> Integer.mod(i, extent)
        true -> min(max(i, 0), extent - 1)
      end
    end
  end

  defp masked(_, nil, text), do: text
  defp masked(n, kept, text), do: "Nx.select(Nx.broadcast(#{kept}, #{tuple(shape_of(n.out))}), #{text}, #{scalar(0, n.out)})"

  # indexed_put and indexed_add along an axis: the slices' own axis first.
  defp indexed(n, call, index, slices) do
    axes = Enum.to_list(0..(length(shape(n, 0)) - 1))
    slices = if axis(n) == 0, do: slices, else: "Nx.transpose(#{slices}, axes: #{list([axis(n) | List.delete(axes, axis(n))])})"
    "#{call}(#{arg(n, 0)}, #{index}, #{slices}, axes: [#{axis(n)}])"
  end

  defp product([]), do: [[]]
  defp product([first | rest]), do: for(i <- first, others <- product(rest), do: [i | others])
end
