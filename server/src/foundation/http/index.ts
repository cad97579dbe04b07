export { addAnswerHeaders, requestIds } from './answers.ts'
export { allowAnyOrigin, answerPreflight } from './any-origin.ts'
export {
  ApiError,
  forbidden,
  invalid,
  notFound,
  unauthorized,
  unavailable,
} from './api-error.ts'
export {
  addClientAddress,
  parseTrustedProxies,
  type TrustedProxies,
} from './client-address.ts'
export { countHeader } from './count-header.ts'
export { addDeletesWithoutBody } from './delete-bodies.ts'
export { addErrorHandling, isUnavailable } from './error-handler.ts'
export { takeFormBodies } from './form-bodies.ts'
export { isReservedParameter } from './json-api.ts'
export { addHttpMetrics } from './metrics.ts'
export { requestOptions } from './request-options.ts'
export { addRequestRules } from './request-rules.ts'
export { takeResourceBodies } from './resource-bodies.ts'
