import { checkRooms, faultsOf, reasonOf } from './rooms.ts'

// npm run rooms. Takes another root as an argument, for the self-test.
const report = await checkRooms(process.argv[2] ?? process.cwd())
const faults = faultsOf(report)
for (const fault of faults) console.error(fault)
for (const rule of new Set(report.violations.map(({ rule }) => rule)))
  console.error(`  ${rule}: ${reasonOf(rule)}`)
if (faults.length > 0) {
  console.error(`${faults.length} faults in ${report.cruised.length} modules.`)
  process.exitCode = 1
} else console.log(`${report.cruised.length} modules keep to their rooms.`)
