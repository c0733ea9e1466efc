'use strict'

/** @typedef {import('../auth/authenticator').User} User */
/** @typedef {import('../databases/database-view').DatabaseView} DatabaseView */
/** @typedef {import('../service/request-service').RequestService} RequestService */

/**
 * A request as the dispatcher gives it to a handler, over node:http, HTTP/2 or from another thread.
 *
 * @template {DatabaseView | undefined} [Database=DatabaseView | undefined]
 * @typedef {import('node:http').IncomingMessage & RequestParts<Database>} PotorooRequest
 */

/**
 * @template {DatabaseView | undefined} Database
 * @typedef {object} RequestParts
 * @property {string} method
 * @property {import('node:http').IncomingHttpHeaders & Record<string, string | undefined>} headers values of one name are one string
 * @property {import('node:net').Socket & { encrypted?: boolean, server?: any }} socket
 * @property {string} url
 * @property {string} [originalUrl] the URL before an app cut off the path that it mounts the databases at
 * @property {string} [baseUrl] that path
 * @property {Record<string, string>} params the variable segments of the path, decoded
 * @property {Record<string, any>} args the query parameters that the route declares, as values of the types that it declares
 * @property {string} search the query string as it came, without `?`
 * @property {any} body JSON, where the route declares a body
 * @property {User} user
 * @property {RequestService} service
 * @property {Database} database as the user may use it; undefined where the path names none, or the route opens none
 * @property {any} security who may use the database, where there is one
 * @property {PotorooResponse} res
 * @property {number} [metric] the counter of its route
 * @property {number} [forwarded] how often it was routed again
 * @property {boolean} [internal] whether it is of one of several servers, which has found out who asks
 * @property {string} [passed] for which lease another server passed it on
 * @property {string} [callback] of JSONP; see http/jsonp.js
 * @property {boolean} [makesDatabase] it was to make its database, so that a fault is no sign of a deletion
 * @property {boolean} [inShard] it may name a shard of a database: see shards/
 * @property {Merging} [merging] how its answer is merged with those of other shards, if their coordinator asks: no client says it
 * @property {Buffer} [bodyInstead] in place of the body that came; see reroute.js
 * @property {boolean} [keepsBody] it may have to be answered by others after its body was read, which is `bodyInstead` then
 * @property {any} [takenBody] the body that another parser has read; see http/taken-body.js
 */

/**
 * Asks a shard for an answer that is no client's.
 *
 * @typedef {object} Merging
 * @property {boolean} [search] it tells what a search found, as JSON, and as much as is asked for
 * @property {string} [find] the print of the plan to find by, '' is any
 * @property {boolean} [ranks] it tells the ranks of a find that mixes them, and finds nothing
 * @property {string} [boundary] stands between the parts of a multipart answer
 */

/** A request to a route that opens the database of its path. @typedef {PotorooRequest<DatabaseView>} DatabaseRequest */

/** Its answer, over node:http, HTTP/2 or from another thread. @typedef {import('node:http').ServerResponse & { req: PotorooRequest }} PotorooResponse */

module.exports = {}
