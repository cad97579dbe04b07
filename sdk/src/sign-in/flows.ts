import type { Notes } from './notes.ts'

/** As long as the server keeps a sign-in that was begun. */
const LIFETIME_MS = 60 * 60_000
const MAX_FLOWS = 10
const NOTE = 'flows'

/** What is kept of a sign-in until the browser is back. */
export interface Flow {
  state: string
  codeVerifier: string
  clientId: string
  redirectUri: string
  returnTo: string | undefined
}

function read(notes: Notes): Flow[] {
  try {
    return JSON.parse(notes.read(NOTE) ?? '[]')
  } catch {
    // Another script has spoilt it.
    return []
  }
}

const write = (notes: Notes, flows: Flow[]): void =>
  notes.write(NOTE, LIFETIME_MS, JSON.stringify(flows.slice(-MAX_FLOWS)))

/** Keeps a flow with the newest others. They are shared by the tabs of a browser: the link of a sign-in mail goes on with
 *  the sign-in in a tab of its own. Whether it will be there on the next page. */
export function keepFlow(notes: Notes, flow: Flow): boolean {
  write(notes, [...read(notes), flow])
  return read(notes).pop()?.state === flow.state
}

/** Gives a flow out, once. */
export function takeFlow(notes: Notes, state: string | null | undefined): Flow | undefined {
  const flows = read(notes)
  const found = flows.find(flow => flow.state === state)
  if (found)
    write(
      notes,
      flows.filter(flow => flow !== found),
    )
  return found
}
