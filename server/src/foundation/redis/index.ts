export { type OpenRedis, openRedis } from './open-redis.ts'
export { parseRedisUrl, type RedisAddress } from './redis-url.ts'
