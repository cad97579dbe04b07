export type { AuthorizationRequest, BrowserFacts, HostedPages, PageAnswer } from './authorization-request.ts'
export type { OAuthClient } from './client.ts'
export type { CodeOrigin, CodeRequest, IssueCode } from './issue-code.ts'
export type { OAuth } from './open-oauth.ts'
