/** The feature flags that a tenant can have (interface 6). */
export const flags = ['UseQueueEvents'] as const

export type Flag = (typeof flags)[number]
