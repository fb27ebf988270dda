# Nx behind adjudge's protocol: elixir -pa 'BUILD/lib/*/ebin' nx.exs [f64|f32].  It needs Elixir 1.18 or newer.  BUILD has
# Nx, complex and telemetry as mix builds them.  An argument limits it to this float dtype: some gradients of f64 come back
# as f32, and would hide everything else.
#
# A case becomes a module of `defn` functions in source, which is compiled and called.  So the judged code is the code that
# `adjudge emit` prints.  Loops and branches stay (`while` with a condition or a range, `cond`).  A region is a function of
# its parameters and its captures; a loop has to carry the captures along.
#
# A vjp is `grad` of the sum of the results, each times its cotangent.  Nx has no other reverse mode, and no forward mode.
# Everything runs on Nx.Defn.Evaluator and the binary backend.  That backend has no empty tensor, and raises an error where
# arithmetic leaves the range of a float; here that is unsupported.  Gradients of f16 and bf16 come back as f32, so neither
# is judged.

Code.require_file("nx_ops.exs", __DIR__)

defmodule Adjudge.Program do
  @moduledoc "A case's program as source: `f`, and a function for each region."
  import Adjudge.Value

  # types and constants by name; functions: source of the regions' functions
  defstruct types: %{}, constants: %{}, functions: [], inputs: [], results: []

  @regions ~w(cond while for scan)
  def regions, do: @regions

  def new(kase) do
    inputs = Enum.map(kase["inputs"], &named/1)
    p = %Adjudge.Program{types: Map.new(inputs), inputs: Enum.map(inputs, &elem(&1, 0)), results: kase["results"]}
    {lines, p} = body(p, kase["body"])
    %{p | functions: [function("defn f", p.inputs, lines, tuple(p.results)) | p.functions]}
  end

  def function(head, params, lines, result),
    do: "  #{head}(#{Enum.join(params, ", ")}) do\n#{Enum.map_join(lines, &indented(&1, 4))}    #{result}\n  end\n"

  defp indented(text, by), do: text |> String.split("\n") |> Enum.map_join(&"#{String.duplicate(" ", by)}#{&1}\n")

  defp body(p, nodes), do: Enum.map_reduce(nodes, p, &node(&2, &1))

  defp node(p, raw) do
    out = Enum.map(raw["out"], &named/1)
    p = %{p | types: Map.merge(p.types, Map.new(out))}
    {names, types} = Enum.unzip(out)
    args = raw["args"] || []

    if raw["op"] in @regions do
      region_op(raw["op"], %{p: p, raw: raw, args: args, out: names, types: types})
    else
      value = if raw["op"] == "constant", do: flat(raw["value"], hd(types))
      p = if value, do: %{p | constants: Map.put(p.constants, hd(names), value)}, else: p
      n = %{op: raw["op"], args: args, raw: raw, out: hd(types), types: Enum.map(args, &p.types[&1]), constants: Enum.map(args, &p.constants[&1]), value: value}
      {"#{hd(names)} = #{Adjudge.Ops.source(n)}", p}
    end
  end

  # ---- regions ----

  # Makes a function of region k; {its name, what it captures, p}.  Constants from outside are written again.
  defp region(%{p: p, raw: raw}, k, result \\ &tuple/1) do
    r = Enum.at(raw["regions"], k)
    params = Enum.map(r["params"], &named/1)
    {constant, captured} = r |> free() |> Enum.uniq() |> Enum.split_with(&Map.has_key?(p.constants, &1))
    {lines, p} = body(%{p | types: Map.merge(p.types, Map.new(params))}, r["body"])
    lines = Enum.map(constant, &"#{&1} = #{tensor(p.constants[&1], p.types[&1])}") ++ lines
    name = "region#{length(p.functions) + 1}"
    {name, captured, %{p | functions: [function("defnp #{name}", Enum.map(params, &elem(&1, 0)) ++ captured, lines, result.(r["results"])) | p.functions]}}
  end

  # Names that a region uses and does not define, in order.
  defp free(r) do
    {used, defined} =
      Enum.reduce(r["body"], {[], Enum.map(r["params"], &(named(&1) |> elem(0)))}, fn node, {used, defined} ->
        inner = Enum.flat_map(node["regions"] || [], &free/1)
        {used ++ (node["args"] || []) ++ inner, Enum.map(node["out"], &(named(&1) |> elem(0))) ++ defined}
      end)

    Enum.reject(used ++ r["results"], &(&1 in defined))
  end

  defp call(name, args), do: "#{name}(#{Enum.join(args, ", ")})"

  defp region_op("cond", n) do
    {yes, captured_yes, p} = region(n, 0)
    {no, captured_no, p} = region(%{n | p: p}, 1)
    {"#{tuple(n.out)} =\n  cond do\n    #{hd(n.args)} -> #{call(yes, captured_yes)}\n    true -> #{call(no, captured_no)}\n  end", p}
  end

  defp region_op("while", n) do
    {test, captured_test, p} = region(n, 0, &hd/1)
    {step, captured_step, p} = region(%{n | p: p}, 1)
    captured = Enum.uniq(captured_test ++ captured_step)
    next = Enum.map(n.out, &"#{&1}_next")
    lines = ["#{tuple(next)} = #{call(step, n.out ++ captured_step)}"]
    test = "Nx.logical_and(#{call(test, n.out ++ captured_test)}, Nx.less(COUNT, #{n.raw["cap"]}))"
    {counted(n, Enum.zip(n.out, n.args), captured, test, lines, next), p}
  end

  # The position of a for or a scan is a carry too, unless it comes from a range.
  defp region_op("for", n) do
    {step, captured, p} = region(n, 0)
    {trip, init} = if n.raw["trip"], do: {to_string(n.raw["trip"]), n.args}, else: {"#{hd(n.out)}_trip", tl(n.args)}
    next = Enum.map(n.out, &"#{&1}_next")
    lines = ["#{tuple(next ++ Enum.map(done(n), &"#{&1}_next"))} = #{call(step, ["Nx.as_type(COUNT, :s64)"] ++ n.out ++ captured)}"]
    bound = if n.raw["trip"], do: "", else: "#{trip} = Nx.clip(#{hd(n.args)}, 0, #{n.raw["cap"]})\n"
    {bound <> ranged(n, Enum.zip(n.out, init), captured, trip, lines, next), p}
  end

  defp region_op("scan", n) do
    {step, captured, p} = region(n, 0)
    carried = n.raw["carries"] || 0
    {init, rows} = Enum.split(n.args, carried)
    {carries, stacks} = Enum.split(n.out, carried)
    next = Enum.map(n.out, &"#{&1}_next")
    {carries_next, stacks_next} = Enum.split(next, carried)
    items = Enum.map(stacks, &"#{&1}_row")
    empty = n.types |> Enum.drop(carried) |> Enum.map(&filled(0, &1))
    step_line = "#{tuple(carries_next ++ items ++ Enum.map(done(n), &"#{&1}_next"))} = #{call(step, carries ++ Enum.map(rows, &"#{&1}[COUNT]") ++ captured)}"
    puts =
      for {{stack, to}, {row, {_, shape}}} <- Enum.zip(Enum.zip(stacks, stacks_next), Enum.zip(items, Enum.drop(n.types, carried))),
          do: "#{to} = Nx.put_slice(#{stack}, #{list(["COUNT" | List.duplicate("0", length(shape) - 1)])}, Nx.new_axis(#{row}, 0))"

    {ranged(n, Enum.zip(carries, init) ++ Enum.zip(stacks, empty), Enum.uniq(captured ++ rows), to_string(n.raw["trip"]), [step_line | puts], next), p}
  end

  defp done(n), do: if(n.raw["until"], do: ["#{hd(n.out)}_done"], else: [])

  # A loop over positions 0 .. trip - 1.
  defp ranged(n, carries, captured, trip, lines, next) do
    cond do
      trip == "0" ->
        Enum.map_join(carries, "\n", fn {name, init} -> "#{name} = #{init}" end)

      n.raw["until"] ->
        [done] = done(n)
        test = "Nx.logical_and(Nx.logical_not(#{done}), Nx.less(COUNT, #{trip}))"
        dynamic = if n.raw["trip"], do: captured, else: captured ++ [trip]
        counted(n, carries ++ [{done, "Nx.tensor(0, type: :u8)"}], dynamic, test, lines, next ++ ["#{done}_next"])

      n.raw["trip"] ->
        loop(n, carries, captured, "#{count(n)} <- 0..#{String.to_integer(trip) - 1}//1", lines, next)

      true ->
        counted(n, carries, captured ++ [trip], "Nx.less(COUNT, #{trip})", lines, next)
    end
  end

  # A loop that carries its count.
  defp counted(n, carries, captured, test, lines, next),
    do: loop(n, [{count(n), "Nx.tensor(0, type: :s64)"} | carries], captured, test, lines, ["Nx.add(COUNT, 1)" | next])

  defp count(n), do: "#{hd(n.out)}_count"

  defp loop(n, carries, captured, test, lines, next) do
    initial = Enum.map(carries, fn {name, init} -> if name == init, do: name, else: "#{name} = #{init}" end)
    result = tuple(Enum.map(carries, fn {name, _} -> if name in n.out, do: name, else: "_" end) ++ Enum.map(captured, fn _ -> "_" end))
    text = Enum.map_join(lines ++ [tuple(next ++ captured)], &indented(&1, 4))
    String.replace("#{result} =\n  while #{tuple(initial ++ captured)}, #{test} do\n#{text}  end", "COUNT", count(n))
  end
end

defmodule Adjudge.Levels do
  @moduledoc "The stack of transforms as source: a function of all inputs for each level."
  import Adjudge.Value

  # {functions, the name of the outermost one, the dtypes of its results}
  def source(kase, p) do
    types_in = Enum.map(p.inputs, &p.types[&1])

    Enum.reduce(Enum.with_index(kase["request"], 1), {[], "f", Enum.map(p.results, &p.types[&1])}, fn {level, k}, {functions, below, types_out} ->
      name = "#{level["transform"]}#{k}"
      {[vjp(level, name, below, p.inputs, types_in, types_out) | functions], name, Enum.map(level["wrt"], &Enum.at(types_in, &1))}
    end)
  end

  # With at least one axis: Nx leaves out a multiplication by the scalar 1, and then begins its sweep with an f32.
  defp seed(values, {dtype, []}), do: tensor(values, {dtype, [1]})
  defp seed(values, type), do: tensor(values, type)

  defp vjp(level, name, below, inputs, types_in, types_out) do
    wrt = Enum.map(level["wrt"], &{Enum.at(inputs, &1), Enum.at(types_in, &1)})
    active = for {x, type} <- wrt, float?(type), do: x
    terms = for {{seed, type}, k} <- Enum.with_index(Enum.zip(level["cotangents"], types_out)), float?(type), do: {k, seed(flat(seed, type), type)}
    result = Enum.map(wrt, fn {x, type} -> if float?(type), do: "d_#{x}", else: filled(0, type) end)

    if active == [] or terms == [] do
      Adjudge.Program.function("defn #{name}", inputs, [], tuple(Enum.map(wrt, fn {_, type} -> filled(0, type) end)))
    else
      some = for {_, k} <- Enum.with_index(types_out), do: if(List.keymember?(terms, k, 0), do: "y#{k}", else: "_")
      [first | rest] = for {k, seed} <- terms, do: "Nx.sum(Nx.multiply(y#{k}, #{seed}))"
      sum = Enum.reduce(rest, first, &"Nx.add(#{&2}, #{&1})")

      grad =
        "#{tuple(Enum.map(active, &"d_#{&1}"))} =\n  grad(#{tuple(active)}, fn #{tuple(active)} ->\n    #{tuple(some)} = #{below}(#{Enum.join(inputs, ", ")})\n    #{sum}\n  end)"

      Adjudge.Program.function("defn #{name}", inputs, [grad], tuple(result))
    end
  end
end

defmodule Adjudge.Engine do
  import Adjudge.Value

  # reassociates: Nx.Defn.Expr moves the constants of sums and products together, whatever runs the expression
  def hello(floats) do
    %{"adjudge.engine" => 1, name: "nx.evaluator", version: to_string(Application.spec(:nx, :vsn)), requests: [["vjp"], ["vjp", "vjp"], ["vjp", "vjp", "vjp"]],
      dtypes: floats ++ ["i64", "i32", "bool"], ops: Adjudge.Ops.names() ++ Adjudge.Program.regions(), reals: "bits", weak_zero: true, reassociates: true, emits: "exs", cases_per_request: 16, timeout_ms: 120_000}
  end

  # {source of module Program, its outermost function, types of the results and of the derivatives, points as source}
  defp parts(kase) do
    p = Adjudge.Program.new(kase)
    {levels, outermost, types} = Adjudge.Levels.source(kase, p)
    text = "defmodule Program do\n  import Nx.Defn\n\n#{Enum.join(Enum.reverse(p.functions) ++ Enum.reverse(levels), "\n")}end\n"
    types_in = Enum.map(p.inputs, &p.types[&1])
    points = for point <- kase["points"], do: Enum.zip(point, types_in) |> Enum.map_join(", ", fn {data, type} -> tensor(flat(data, type), type) end)
    {text, outermost, Enum.map(p.results, &p.types[&1]), types, points}
  end

  def emit(kase) do
    {text, outermost, _, _, points} = parts(kase)
    calls = for point <- points, {what, f} <- [{"primal", "f"}] ++ if(kase["request"] == [], do: [], else: [{"derivative", outermost}]),
                do: "IO.inspect(Program.#{f}(#{point}), label: \"#{what}\")\n"
    text <> "\n" <> Enum.join(calls)
  end

  def answer(kase) do
    {text, outermost, results, types, points} = parts(kase)
    Code.with_diagnostics(fn -> Code.compile_string(text) end)

    for point <- points do
      {xs, _} = Code.eval_string("[#{point}]")
      derivative = if kase["request"] == [], do: [], else: apply(Program, String.to_atom(outermost), xs) |> encoded(types)
      %{status: "ok", primal: apply(Program, :f, xs) |> encoded(results), derivative: derivative}
    end
  rescue
    # an exception of the engine is its answer
    e ->
      text = "#{inspect(e.__struct__)}: #{e |> Exception.message() |> String.split("\n") |> hd()}" |> String.slice(0, 400)
      known = e.__struct__ in [Adjudge.Unsupported, ArithmeticError] or text =~ ~r/not (yet )?(implemented|supported)|cannot compute gradient|construction of binary failed/
      List.duplicate(%{status: if(known, do: "unsupported", else: "error"), text: text}, length(kase["points"]))
  end

  defp encoded(values, types), do: Enum.zip_with(Tuple.to_list(values), types, fn v, {dtype, _} -> out(v, dtype) end)
end

defmodule Adjudge.Protocol do
  def serve(arguments) do
    {emitting, floats} = {"--emit" in arguments, for(a <- arguments, a in ["f64", "f32"], do: a)}
    say(Adjudge.Engine.hello(if(floats == [], do: ["f64", "f32"], else: floats)))
    for line <- IO.stream(:stdio, :line), do: line |> JSON.decode!() |> reply(emitting) |> say()
  end

  defp reply(%{"id" => id, "emit" => cases}, _), do: sources(id, cases)
  defp reply(%{"id" => id, "cases" => cases}, true), do: sources(id, cases)
  defp reply(%{"id" => id, "cases" => cases}, false), do: %{id: id, answers: Enum.map(cases, &Adjudge.Engine.answer/1)}

  defp sources(id, cases) do
    %{id: id, sources: Enum.map(cases, &Adjudge.Engine.emit/1)}
  rescue
    e in Adjudge.Unsupported -> %{id: id, error: "nx: no counterpart for #{e.message}"}
  end

  defp say(value), do: IO.puts(JSON.encode!(value))
end

Application.ensure_all_started(:nx)
Code.put_compiler_option(:ignore_module_conflict, true)
Code.put_compiler_option(:infer_signatures, false)
Adjudge.Protocol.serve(System.argv())
