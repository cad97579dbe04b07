/** A queue whose reads and removals are timed: the platform's own, or a rival's. */
export interface MeasuredQueue {
  name: string
  /** Fills it until so many records wait; it is never asked to shrink. Gives how many it put in. */
  growTo(depth: number): Promise<number>
  /** Reads 10,000 from the front and leaves them there. Gives ms until the last byte, as a client sees it. */
  read(): Promise<number>
  /** Removes from the front. Gives ms. */
  remove(count: number): Promise<number>
  /** Brings the depth back to what it was grown to, after removals. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** Most events of one GET (interface 8). */
export const readSize = 10_000
