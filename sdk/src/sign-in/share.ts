/** Lets all who ask the same while it is under way have one answer. */
export function createShare<Answer>(): (what: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const underWay: Record<string, Promise<Answer>> = {}
  return (what, ask) => {
    underWay[what] ??= ask().finally(() => {
      delete underWay[what]
    })
    return underWay[what]
  }
}
