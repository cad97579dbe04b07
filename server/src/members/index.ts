export type { BrowserSession, Member, MemberSession } from './member.ts'
export type { AccessTokenContent, TokenKind, VerifiedToken } from './member-token.ts'
export { type Members, openMembers } from './open-members.ts'
