/** folded removes accents and case, so that "joao" finds "João". */
const folded = (text: string) =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

/** rankOf returns how well a name matches: 0 at its start, 1 at the start of a word, 2 inside a word, null not at all. */
function rankOf(name: string, wanted: string): number | null {
  const at = folded(name).indexOf(wanted)
  if (at < 0) return null
  if (at === 0) return 0
  return folded(name).includes(` ${wanted}`) ? 1 : 2
}

/** byMatch returns the items whose name contains the text, those that start with it first. Without a text it returns all of them. */
export function byMatch<T>(
  all: T[],
  text: string,
  nameOf: (one: T) => string,
): T[] {
  const wanted = folded(text.trim())
  if (!wanted) return all
  return all
    .flatMap((one) => {
      const rank = rankOf(nameOf(one), wanted)
      return rank === null ? [] : [{ one, rank }]
    })
    .sort((a, b) => a.rank - b.rank) // stable
    .map(({ one }) => one)
}
