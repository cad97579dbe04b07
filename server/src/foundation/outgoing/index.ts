export { type Outgoing, openOutgoing } from './open-outgoing.ts'
export { outgoingErrorIn } from './outgoing-error.ts'
