// @ts-check
// Who may import whom (see docs/adr/0004). The self-test in house/import-rules.test.ts plants a
// violation of each rule, so a rule that stops biting fails there.

const test = String.raw`\.test\.ts$`
const testing = '^(?:server|sdk|consumer)/src/testing/'
// Any folder of server/src but these is a room, so that a new room is under the rules from its first file.
const notRooms = '(?:foundation|testing|openapi)/'
const room = `^server/src/(?!${notRooms})([^/]+)/`
const door = String.raw`^server/src/[^/]+/index\.ts$`
const foundationDoor = String.raw`^server/src/foundation/[^/]+/index\.ts$`
const roomFile = `^server/src/(?!${notRooms})[^/]+/`
const outermost = String.raw`\.(?:routes|job)\.ts$`
const store = String.raw`\.store\.ts$`
// The types of a room's tables, shared by its stores.
const tables = String.raw`/tables\.ts$`

/**
 * The packages by name: as resolved below node_modules, or as written where they are not installed.
 * @param {...string} names
 */
const packages = (...names) => names.flatMap(name => [`(?:^|/)node_modules/${name}/`, `^${name}(?:/|$)`])

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'What two files need of each other belongs into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolves',
      comment: 'An import that leads nowhere would escape every rule here.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'rooms-meet-at-the-door',
      comment: "Another room's index.ts is its door; what is not exported there is its own business.",
      severity: 'error',
      from: { path: room },
      to: { path: roomFile, pathNot: ['^server/src/$1/', door] },
    },
    {
      name: 'wiring-uses-the-door',
      comment: 'main.ts, app.ts, wiring.ts, cli.ts and openapi/ take rooms by their index.ts, like everyone.',
      severity: 'error',
      from: { path: [String.raw`^server/src/[^/]+\.ts$`, '^server/src/openapi/'] },
      to: { path: roomFile, pathNot: door },
    },
    {
      name: 'foundation-uses-the-door',
      comment: 'Each part of the foundation is taken by its index.ts too.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/foundation/', testing] },
      to: { path: '^server/src/foundation/[^/]+/', pathNot: foundationDoor },
    },
    {
      name: 'foundation-parts-meet-at-the-door',
      comment: 'Also among themselves.',
      severity: 'error',
      from: { path: '^server/src/foundation/([^/]+)/' },
      to: { path: '^server/src/foundation/[^/]+/', pathNot: ['^server/src/foundation/$1/', foundationDoor] },
    },
    {
      name: 'foundation-knows-no-room',
      comment: 'The foundation is below: a room passes in what it needs.',
      severity: 'error',
      from: { path: '^server/src/foundation/' },
      to: { path: '^server/src/', pathNot: ['^server/src/foundation/', testing] },
    },
    {
      name: 'rooms-know-no-wiring',
      comment: 'main.ts, app.ts, wiring.ts, config.ts and openapi/ stand above the rooms: pass values in.',
      severity: 'error',
      from: { path: roomFile },
      to: { path: [String.raw`^server/src/[^/]+\.ts$`, '^server/src/openapi/'] },
    },
    {
      name: 'use-cases-know-no-routes',
      comment: 'routes and jobs → use cases → stores → foundation, never upwards.',
      severity: 'error',
      from: { path: roomFile, pathNot: [outermost, test, String.raw`/index\.ts$`] },
      to: { path: outermost },
    },
    {
      name: 'routes-leave-stores-to-use-cases',
      comment:
        'A route or a job parses and delegates; a use case decides what to ask a store. Types may pass.',
      severity: 'error',
      from: { path: outermost },
      to: { path: store, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'stores-know-no-room',
      comment: 'A store is below use cases: it takes identifiers, and gives rows, and asks no other room.',
      severity: 'error',
      from: { path: store },
      to: { path: [door, outermost], pathNot: foundationDoor },
    },
    {
      name: 'stores-know-no-use-case',
      comment: 'A use case uses stores, so a store from which another store can be reached stands too high.',
      severity: 'error',
      from: { path: store },
      to: { path: store, reachable: true },
    },
    {
      name: 'fastify-at-the-edge',
      comment: 'HTTP ends at the routes: *.routes.ts, foundation/http, app.ts and openapi/.',
      severity: 'error',
      from: {
        path: '^server/',
        pathNot: [
          String.raw`\.routes\.ts$`,
          '^server/src/foundation/http/',
          String.raw`^server/src/app\.ts$`,
          '^server/src/openapi/',
          testing,
        ],
      },
      to: { path: packages('fastify', '@fastify', '@scalar') },
    },
    {
      name: 'sql-in-stores',
      comment:
        'SQL stands in *.store.ts and foundation/database. The type Database comes from foundation/database.',
      severity: 'error',
      from: {
        path: '^server/',
        pathNot: [
          store,
          tables,
          '^server/src/foundation/(?:database|embedded-postgres)/',
          testing,
          // Tests look into the tables, and hold transactions open.
          test,
        ],
      },
      to: { path: packages('pg', 'kysely') },
    },
    {
      name: 'tables-are-types',
      comment: "tables.ts says what a room's tables look like; what is done with them stands in its stores.",
      severity: 'error',
      from: { path: tables },
      to: { path: packages('pg', 'kysely'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'tables-belong-to-stores',
      comment: 'With the tables in hand anything could be asked of the database from anywhere.',
      severity: 'error',
      from: { path: '^server/', pathNot: [store, testing, test] },
      to: { path: tables },
    },
    {
      name: 'pg-boss-in-jobs',
      comment: 'Other rooms send jobs through jobs/index.ts.',
      severity: 'error',
      from: { path: '^server/', pathNot: ['^server/src/jobs/', testing] },
      to: { path: packages('pg-boss') },
    },
    {
      name: 'only-tests-use-the-test-kit',
      comment: 'What stands below src/testing is not part of the product.',
      severity: 'error',
      from: { pathNot: [testing, test] },
      to: { path: testing },
    },
    {
      name: 'nothing-imports-a-test',
      comment: 'What two tests share belongs into the test kit.',
      severity: 'error',
      from: {},
      to: { path: test },
    },
    {
      name: 'contract-stands-alone',
      comment: 'The contract is schemas and names: typebox, and nothing of ours.',
      severity: 'error',
      from: { path: '^contract/', pathNot: test },
      to: { pathNot: ['^contract/', ...packages('typebox')] },
    },
    {
      name: 'only-types-from-contract',
      comment:
        'sdk, console and consumer are delivered by themselves: only types, which leave no code behind.',
      severity: 'error',
      from: { path: '^(?:sdk|console|consumer/src)/', pathNot: test },
      to: { path: ['^contract/', ...packages('@usher/contract')], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sdk-has-no-dependency',
      comment: 'The browser SDK runs on strangers’ pages: no package, nothing of Node.',
      severity: 'error',
      from: { path: '^sdk/src/', pathNot: [test, testing] },
      to: { pathNot: ['^sdk/src/', '^contract/', ...packages('@usher/contract')] },
    },
    {
      name: 'outside-talks-http',
      comment: 'What stands outside the server reaches it by its addresses, as everyone else does.',
      severity: 'error',
      from: { path: '^(?:sdk|console|consumer|examples|e2e|bench)/' },
      to: { path: ['^server/', ...packages('@usher/server')], pathNot: '^server/src/testing/' },
    },
  ],
  options: {
    doNotFollow: { path: ['(?:^|/)node_modules/', '(?:^|/)dist/'] },
    // Ours alone: packages keep their code in folders of that name too, and have to be seen.
    exclude: { path: '^(?:sdk|console|consumer)/dist/' },
    // Type-only imports are seen too, and marked as such.
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
