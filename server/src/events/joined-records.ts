/** Memory is taken in slabs of this size: nothing that was written is copied again to make room. */
const slabBytes = 256 * 1024
const comma = 0x2c

/** Records with commas between them, between two other texts, as bytes. */
export class JoinedRecords {
  /** Records that were added. */
  count = 0
  readonly #full: Buffer[] = []
  #slab = Buffer.allocUnsafeSlow(slabBytes)
  #at: number

  /** `before` is ASCII, and far shorter than a slab. */
  constructor(before: string) {
    this.#at = this.#slab.write(before, 'latin1')
  }

  /** Copies a record, so that its memory may be used again. */
  add(record: Buffer): void {
    if (this.#at + record.length + 1 > this.#slab.length) this.#newSlab(record.length + 1)
    if (this.count++ > 0) this.#slab[this.#at++] = comma
    this.#at += record.copy(this.#slab, this.#at)
  }

  /** All of it, with `after`, in ASCII, at its end. */
  end(after: string): Buffer[] {
    return [...this.#full, this.#slab.subarray(0, this.#at), ...(after === '' ? [] : [Buffer.from(after)])]
  }

  #newSlab(leastBytes: number): void {
    this.#full.push(this.#slab.subarray(0, this.#at))
    this.#slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, leastBytes))
    this.#at = 0
  }
}
