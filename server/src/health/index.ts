export { createHealth, type Health } from './create-health.ts'
export { healthRoutes } from './health.routes.ts'
export { queueSampleJobs } from './queue-samples.job.ts'
