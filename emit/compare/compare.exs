# Returned numbers beside expected ones.  Exit status: 0 all agree, 1 some number is wrong, 125 it cannot be said.
defmodule Judged do
  def count(key, n \\ 1), do: :persistent_term.put({Judged, key}, get(key, 0) + n)
  def get(key, default), do: :persistent_term.get({Judged, key}, default)

  def ask(what), do: :persistent_term.put({Judged, :asked}, what)

  def wrong(text) do
    count(:wrong)
    IO.puts("#{text}: WRONG")
  end

  # A row: the texts of expected and allowed, whether a NaN is accepted, [value, its lower digits, radius] for each
  # convention at a tie, and the interval of their mixtures if they differ.
  # The type of what are no floats may be any.
  def compare(name, returned, {{kind, bits}, shape}, {type, extents}, rows) do
    if type in [:f64, :f32, :bf16, :f16] and "#{kind}#{bits}" != "#{type}", do: wrong("#{name}: expected #{type}, returned #{kind}#{bits}")
    if shape != extents, do: wrong("#{name}: expected shape #{inspect(extents)}, returned #{inspect(shape)}")

    if length(returned) != length(rows), do: wrong("#{name}: expected #{length(rows)} numbers, returned #{length(returned)}")
    Enum.zip(returned, rows) |> Enum.with_index(fn {r, row}, k -> number(if(length(rows) > 1, do: "#{name}, element #{k}", else: name), r, row) end)
  end

  defp number(name, r, [expected, allowed, accepts_nan, choices | between]) do
    numbered = Enum.with_index(choices)
    followed = for {choice, i} <- numbered, (if r == :nan, do: accepts_nan, else: fits(r, choice)), do: i
    line = "#{name}: expected #{expected}, returned #{r}, allowed #{allowed}"

    if followed == [] and not inside(r, between) do
      wrong(line)
    else
      IO.puts(line)
      if List.last(hd(choices)) != :infinity and String.contains?(name, get(:asked, "")), do: count(:numbers)
      if length(choices) > 1 or between != [], do: follow(followed, r)
    end
  end

  defp fits(_, [_, _, :infinity]), do: true
  defp fits(r, [value, _, _]) when is_atom(r) or is_atom(value), do: r == value
  defp fits(r, [value, rest, radius]), do: abs(r - value - rest) <= radius

  # Erlang orders atoms above all numbers, so the infinities stand apart.
  defp inside(_, []), do: false
  defp inside(r, [low, high]), do: not_above(low, r) and not_above(r, high)
  defp not_above(a, b), do: a == :neg_infinity or b == :infinity or (is_number(a) and is_number(b) and a <= b)

  defp follow(followed, r) do
    :persistent_term.put({Judged, :shares}, [r | get(:shares, [])])
    before = get(:followed, nil)
    :persistent_term.put({Judged, :followed}, if(before, do: Enum.filter(before, &(&1 in followed)), else: followed))
  end

  # The sum of all numbers at a tie is in this range, whatever mixture of conventions they follow.
  def conclude(least, most) do
    shares = get(:shares, [])
    sum = if Enum.all?(shares, &is_number/1), do: Enum.sum(shares), else: :nan

    if get(:followed, nil) == [] do
      if sum == :nan or inside(sum, [least, most]) do
        count(:unclear)
        IO.puts("no convention explains all numbers of this tie, but a mixture of them may")
      else
        wrong("sum of the shares at a tie: expected #{least} to #{most}, returned #{sum}")
      end
    end

    :persistent_term.put({Judged, :followed}, nil)
    :persistent_term.put({Judged, :shares}, [])
  end

  def finish() do
    unclear = get(:unclear, 0) > 0 or get(:numbers, 0) == 0
    IO.puts("#{get(:numbers, 0)} numbers of the #{get(:asked, "")} agree, #{get(:wrong, 0)} wrong#{if unclear, do: ", not all could be judged"}")
    System.halt(cond do get(:wrong, 0) > 0 -> 1; unclear -> 125; true -> 0 end)
  end
end

# An error ends the script here: nothing was returned, and git bisect skips 125.
System.at_exit(fn status -> if status != 0, do: System.halt(if(Judged.get(:wrong, 0) > 0, do: 1, else: 125)) end)

