/**
 * A start that cannot succeed as things are. The message is one clear line that says what is wrong and what
 * to do; `main.ts` prints it and exits with code 1.
 */
export class StartError extends Error {
  override name = 'StartError'
}
