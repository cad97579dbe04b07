export { createJobs, type Jobs, type JobsOptions, type JobsTiming } from './create-jobs.ts'
export type { JobsLog } from './fault-log.ts'
export type { JobContext, JobDefinition, JobPayload, JobSchedule, JobUrgency } from './job-definition.ts'
export type { KeptError } from './job-failure.ts'
export {
  countFailed,
  countPending,
  type FailedJob,
  listFailedJobs,
  retryFailedJobs,
} from './jobs.store.ts'
export { type CommandSurroundings, jobsCommand } from './jobs-command.ts'
export { pruningJobs } from './prune-jobs.job.ts'
