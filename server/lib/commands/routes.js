'use strict'

const { isReading } = require('../dispatch/route-table')

/** @typedef {import('commander').Command} Command */
/** @typedef {import('../dispatch/route-table').Route} Route */

/** `potoroo routes`: every route and who may use it, as text or as an OpenAPI document. */
module.exports = (/** @type {Command} */ program) => {
  program.command('routes')
    .description('print every route of HTTP: methods, path, who may use it, and what it does')
    .option('--openapi', 'print an OpenAPI document in JSON instead, without the routes that only refuse')
    .addHelpText('after', `
WHO may use a route:
  anyone, user (anybody who has logged in), metrics (administrators and users with the role _metrics),
  member and database-admin (of the database in the path), admin (administrators of the server);
  a route that says "config" is for anyone, or for administrators, as potoroo.ini has it.
USERS and REPLICATIONS: who may use it in a database of users and in one of replications, where that
  is somebody else. SYSTEM: the same in _users and _replicator. BY DOCUMENT: the same in one with access by document.
DOES: reads or writes; "thread" where a thread that serves HTTP may answer, or prepare the write.

Examples:
  $ potoroo routes
  $ potoroo routes --openapi > openapi.json`)
    .action((/** @type {{ openapi?: boolean }} */ { openapi }) => {
      // The routes load most of the server.
      const { routes } = require('../dispatch/routes')
      process.stdout.write(openapi ? `${JSON.stringify(require('../openapi/document').describeRoutes(routes), null, 2)}\n` : describeRoutes(routes))
    })
}

const HEADER = ['METHODS', 'PATH', 'WHO', 'USERS', 'REPLICATIONS', 'SYSTEM', 'BY DOCUMENT', 'DOES']

/**
 * The routes as text, one line for the methods of a path that agree in all else.
 *
 * @param {import('../dispatch/route-table').Route[]} routes
 * @returns {string}
 */
function describeRoutes (routes) {
  /** @type {Map<string, { methods: string[], cells: string[] }>} */
  const lines = new Map()
  for (const route of routes) {
    const cells = cellsOf(route)
    const key = cells.join(' ')
    const line = lines.get(key)
    const method = route.anyMethod ? 'any' : route.method
    if (line === undefined) lines.set(key, { methods: [method], cells })
    else line.methods.push(method)
  }
  const rows = [...lines.values()].map(({ methods, cells }) => [methods.join(','), ...cells]).sort(byPath)
  const table = [HEADER, ...rows]
  const widths = HEADER.map((_, column) => Math.max(...table.map(row => row[column].length)))
  return table.map(row => row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd() + '\n').join('')
}

/** @param {string[]} one @param {string[]} other */
function byPath ([methods, path], [otherMethods, otherPath]) {
  return path < otherPath ? -1 : path > otherPath ? 1 : methods < otherMethods ? -1 : 1
}

/** @param {Route} route */
function cellsOf (route) {
  const does = isReading(route) ? 'reads' : 'writes'
  return [route.path, whoOf(route), ...specialOf(route), route.threads === undefined ? does : `${does} thread`]
}

/** @param {Route} route */
function whoOf ({ who }) {
  if (typeof who === 'function') return 'config'
  return who === 'maintainer' ? 'database-admin' : who
}

/** Cells are empty where a kind of database changes nothing. @param {Route} route */
function specialOf ({ path, who, whoIn, database, byDocument }) {
  if (!path.startsWith('/:db') || database === false || who !== 'member') return ['', '', '', '']
  return [whoIn?.users ?? 'database-admin', whoIn?.replications ?? 'database-admin', whoIn?.system ?? '', byDocument ? who : 'database-admin'].map(each => each === who ? '' : each)
}

module.exports.describeRoutes = describeRoutes
