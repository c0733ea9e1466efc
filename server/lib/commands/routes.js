'use strict'

/** `potoroo routes`: the table of routes, as text or as an OpenAPI document. */
module.exports = program => {
  program.command('routes')
    .description('print the routes of the server: method, path, and who may use them')
    .option('--openapi', 'print an OpenAPI document in JSON instead')
    .addHelpText('after', `
Routes that only refuse, as a server without text search does, are in the list and not in the OpenAPI document.

Examples:
  $ potoroo routes
  $ potoroo routes --openapi > openapi.json`)
    .action(({ openapi }) => {
      // The routes load most of the server.
      const { routes } = require('../routes')
      const { describeRoutes, whoOf } = require('../openapi/document')
      if (openapi) return process.stdout.write(`${JSON.stringify(describeRoutes(routes), null, 2)}\n`)
      process.stdout.write(routes.map(route => `${route.method.padEnd(7)}  ${whoOf(route).padEnd(14)}  ${route.path}\n`).join(''))
    })
}
