export { doctorUsage, readDoctorCommand } from './doctor-command.ts'
export { liveCheckRoutes } from './live-check.routes.ts'
export { silentSignInRoutes } from './silent-sign-in.routes.ts'
