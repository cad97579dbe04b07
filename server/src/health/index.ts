export { createHealth, type Health, type HealthOptions } from './create-health.ts'
export { healthRoutes } from './health.routes.ts'
export type { HealthPorts, QueueState, ReadQueueStates } from './health-ports.ts'
export { queueSampleJobs } from './queue-samples.job.ts'
