/** Runs what may fail; the page gets `otherwise` in place of an error. */
export const settle =
  <Given extends unknown[], Answer>(
    run: (...given: Given) => Promise<Answer> | Answer,
    otherwise: Answer,
  ): ((...given: Given) => Promise<Answer>) =>
  async (...given) => {
    try {
      return await run(...given)
    } catch (error) {
      console.warn('usher:', error)
      return otherwise
    }
  }
