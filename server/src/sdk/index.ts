export { sdkScriptsRoutes } from './scripts.routes.ts'
