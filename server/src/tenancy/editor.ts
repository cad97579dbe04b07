import type { Actor } from './audit.store.ts'
import type { Credential } from './credential.ts'

/** Who changes something of a tenant's, where from and when. */
export interface Editor {
  actor: Actor
  /** The network address; none where there was none. */
  address?: string
  now: Date
}

/** Who changes something by a request to the API: the key that came with it. */
export const editorOf = ({
  credential,
  clientAddress,
}: {
  credential: Credential
  clientAddress: string
}): Editor => ({
  actor: { kind: 'key', id: credential.keyId, name: credential.name },
  address: clientAddress,
  now: new Date(),
})
