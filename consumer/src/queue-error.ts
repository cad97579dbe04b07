/** The platform did not do what it was asked to. The message says what it answered. */
export class QueueError extends Error {
  override name = 'QueueError'
  /** The status of the answer; 0 where there was none that could be used. */
  readonly status: number
  /** The wait that the platform asks for, in ms; 0 where it asks for none. */
  readonly retryAfterMs: number

  constructor(message: string, status: number, retryAfterMs = 0, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request may well succeed later. */
  get passes(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}
