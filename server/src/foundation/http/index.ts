export { addAnswerHeaders, requestIds } from './answers.ts'
export {
  ApiError,
  type ApiErrorStatus,
  forbidden,
  invalid,
  notFound,
  unauthorized,
  unavailable,
} from './api-error.ts'
export {
  addClientAddress,
  clientAddress,
  parseTrustedProxies,
  type TrustedProxies,
} from './client-address.ts'
export { addDeletesWithoutBody } from './delete-bodies.ts'
export { addErrorHandling, sendApiError } from './error-handler.ts'
export { addHttpMetrics } from './metrics.ts'
export { requestOptions } from './request-options.ts'
