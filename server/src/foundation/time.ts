/** A time as the wire has it: ISO 8601 with milliseconds and `+00:00` (decisions, "Answers"). */
export function toIso(time: Date): string {
  return `${time.toISOString().slice(0, -1)}+00:00`
}
