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
export { addErrorHandling, sendApiError } from './error-handler.ts'
