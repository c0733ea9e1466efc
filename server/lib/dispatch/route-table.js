'use strict'

/**
 * The users who may use a route:
 * `anyone`; `user` (somebody who has logged in); `admin` (administrators of the server); `metrics` (they,
 * and who has the role `_metrics`); `member` and `database-admin` (of the database in the path); `maintainer` (the latter, refused in other words).
 * @typedef {'anyone' | 'user' | 'admin' | 'metrics' | 'member' | 'database-admin' | 'maintainer'} Who
 */

/**
 * Databases of a special kind are closed to all but their admins, unless a route says otherwise:
 * `users` are databases of users, `replications` those of replications, `system` are `_users` and `_replicator`.
 * @typedef {{ users?: 'member', replications?: 'member', system?: 'admin' }} WhoIn
 */

/**
 * The query parameters with which a thread may answer. `durable` are more of them, or all, for storage where all that
 * is seen is durable: no sequence is told that a power cut takes back. `prepares`: it prepares a write, which the owner commits.
 * `givesBack`: the owner may have to answer after the body was read, so it has to be one that is kept.
 * @typedef {{ parameters?: string[], durable?: string[], prepares?: boolean, givesBack?: boolean }} ThreadParameters
 */

/** @typedef {import('./request').PotorooRequest} PotorooRequest */
/** @typedef {import('./request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('./request').PotorooResponse} PotorooResponse */

/** A route below `/:db`: its requests have the database. @typedef {RouteOf<DatabaseRequest> & { path: `/:db${string}`, database?: undefined }} DatabaseRoute */

/** A route whose handler does not take the database for granted. @typedef {RouteOf<PotorooRequest>} ServerRoute */

/** @typedef {DatabaseRoute | ServerRoute} Route */

/**
 * @template Request
 * @typedef {object} RouteOf
 * @property {string} method `GET` answers HEAD too, where there is no route for HEAD
 * @property {string} path `/:db/:ddoc/_view/:view`; see RouteTable
 * @property {Who | ((req: PotorooRequest) => Who)} who on routes of the server, a function may decide by the configuration
 * @property {WhoIn} [whoIn] who may use it in databases of a special kind, besides
 * @property {string} [owner] which of several servers answers: the owner of the `catalogue` of databases, or of the database
 *   of this name. By default the owner of the database in the path, and where there is none whoever is asked
 * @property {boolean} [anywhere] of several servers, the one that is asked answers, though another owns the database: what
 *   is read was stored before anybody was told of it, so nothing that only the owner knows could be newer
 * @property {boolean} [reads] a POST that changes nothing; GET never does, other methods always do
 * @property {(args: URLSearchParams) => boolean} [webSocket] whether a WebSocket of this path asks this, see websocket/asked-feed.js; of
 *   a POST the body is the first message
 * @property {string} [metric] the counter or gauge of its requests, of those in stats/metrics.js
 * @property {ThreadParameters} [threads] set where a reading thread may answer
 * @property {(req: Request, res: PotorooResponse) => unknown} handler may return a Change, for the request to be routed again
 * @property {Record<string, string | import('../http/query').ParameterType>} [query] parameters and their types: `req.args`
 * @property {'json' | 'typed-json' | 'typed-document' | 'typed-documents' | 'typed-bare-documents' | 'typed-nothing' | 'typed-optional-json'} [body] what to read into `req.body`
 * @property {'transactions'} [section] of the settings: its `max_bytes` is the most that the body may have
 * @property {boolean} [database] false: do not open the database of the path
 * @property {boolean} [byDocument] it keeps to access by document; without it, it is closed to members of databases that have that
 * @property {string} [shards] how it is answered of a database of several shards, of those in shards/handlers.js; without it, it is not
 * @property {number} [counter] where `metric` is counted; set by routes.js
 * @property {boolean} [gauge] it counts the requests that go on; set by routes.js
 * @property {boolean} [anyMethod] it answers all methods of the path, even those that HTTP does not know: nothing is there
 * @property {string} [allow] what other methods of the path are told to use, where CouchDB names them otherwise
 */

/** The routes of a path by their methods. @typedef {Map<string, Route & { names: string[] }>} Methods */

/**
 * One segment of the tree: `words` are those that stand in a pattern, the others what a variable segment leads to.
 * @typedef {{ words: Map<string, Node>, ddoc: Node | null, local: Node | null, any: Node | null, rest: Node | null, methods: Methods }} Node
 */

/**
 * The routes as a tree of segments, so that finding one costs the depth of the path.
 *
 * Segments of a pattern, in the order in which they are tried:
 *   `_all_docs`  this word, slashes in it as `%2F`
 *   `:ddoc`      a design document, `_design/x`
 *   `:local`     a local document, `_local/x`
 *   `:name`      any one segment
 *   `:name+`     this and all that follow, joined with `/`
 */
class RouteTable {
  #root = node()

  /** @param {Route[]} routes */
  constructor (routes) {
    for (const route of routes) this.#add(route)
  }

  /** @param {Route} route */
  #add (route) {
    let at = this.#root
    const names = []
    for (const part of route.path.split('/').filter(Boolean)) {
      if (!part.startsWith(':')) {
        const word = decodeURIComponent(part)
        const next = at.words.get(word) ?? node()
        at.words.set(word, next)
        at = next
        continue
      }
      const kind = part.endsWith('+') ? 'rest' : part === ':ddoc' ? 'ddoc' : part === ':local' ? 'local' : 'any'
      names.push(part.replace(/[:+]/g, ''))
      at = at[kind] ??= node()
    }
    if (at.methods.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`)
    at.methods.set(route.method, { ...route, names })
  }

  /**
   * @param {string[]} segments
   * @returns {{ methods: Methods, values: string[] } | null}
   */
  find (segments) {
    return find(this.#root, segments, 0, [])
  }
}

/** @returns {Node} */
function node () {
  return { words: new Map(), ddoc: null, local: null, any: null, rest: null, methods: new Map() }
}

/**
 * `values` is a stack: what a branch that leads nowhere put on it is taken off again.
 *
 * @param {Node} at
 * @param {string[]} segments
 * @param {number} depth
 * @param {string[]} values
 * @returns {{ methods: Methods, values: string[] } | null}
 */
function find (at, segments, depth, values) {
  if (depth === segments.length) return at.methods.size > 0 ? { methods: at.methods, values } : null
  const segment = segments[depth]
  const word = at.words.get(segment)
  // No database has the name of a route of the server.
  if (depth === 0 && word !== undefined) return find(word, segments, depth + 1, values)
  const found = (word === undefined ? null : find(word, segments, depth + 1, values)) ??
    (segment.startsWith('_design/') ? under(at.ddoc, segments, depth, values) : null) ??
    (segment.startsWith('_local/') ? under(at.local, segments, depth, values) : null) ??
    under(at.any, segments, depth, values)
  if (found !== null || at.rest === null) return found
  values.push(segments.slice(depth).join('/'))
  return { methods: at.rest.methods, values }
}

/**
 * @param {Node | null} child
 * @param {string[]} segments
 * @param {number} depth
 * @param {string[]} values
 */
function under (child, segments, depth, values) {
  if (child === null) return null
  values.push(segments[depth])
  const found = find(child, segments, depth + 1, values)
  if (found === null) values.pop()
  return found
}

/**
 * The route for a method among those of a path. HEAD is GET without a body, and a GET of `anyMethod` is all of them.
 * @param {Methods} methods
 * @param {string} method
 * @returns {(Route & { names: string[] }) | undefined}
 */
function forMethod (methods, method) {
  return methods.get(method) ?? (method === 'HEAD' || methods.get('GET')?.anyMethod ? methods.get('GET') : undefined)
}

/**
 * Returns the route whose rights are checked before a path refuses a method (405), so that outsiders cannot probe paths.
 *
 * @param {Methods} methods
 * @returns {Route & { names: string[] }}
 */
function gateOf (methods) {
  const [route] = methods.values()
  if (!route.names.includes('db')) return route
  const ofDatabase = /** @type {DatabaseRoute & { names: string[] }} */ (route)
  return { ...ofDatabase, who: 'member', database: undefined, owner: undefined }
}

/** Whether a route changes nothing. @param {Route} route */
function isReading ({ method, reads }) { return reads === true || method === 'GET' || method === 'HEAD' }

/** The methods of a path as CouchDB lists them: `GET,HEAD,POST`. @param {Methods} methods */
function allowed (methods) {
  for (const { allow } of methods.values()) if (allow !== undefined) return allow
  const names = new Set(methods.keys())
  if (names.has('GET')) names.add('HEAD')
  return [...names].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(',')
}

const order = ['DELETE', 'GET', 'HEAD', 'POST', 'PUT', 'COPY']

module.exports = { RouteTable, forMethod, gateOf, isReading, allowed }
