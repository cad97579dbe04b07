/** Runs what may fail without letting the page see it fail. */
export function guard<Given extends unknown[]>(run: (...given: Given) => void): (...given: Given) => void {
  return (...given) => {
    try {
      run(...given)
    } catch (error) {
      console.warn('usher:', error)
    }
  }
}
