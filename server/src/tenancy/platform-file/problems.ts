import { StartError } from '../../foundation/start-error.ts'

/** Where in the file something stands: field names and indexes from the root. */
export type Path = readonly (string | number)[]

/** Something that the file may not say. */
export interface Problem {
  path: Path
  /** What is wrong with it, to be read after the path: "must be …". */
  message: string
}

/** A path as a person writes it: `tenants[0].domain`. */
export function showPath(path: Path): string {
  return path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
}

/** A platform file that is refused; nothing was changed. One line a problem, each naming its line. */
export class PlatformFileError extends StartError {
  override name = 'PlatformFileError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
