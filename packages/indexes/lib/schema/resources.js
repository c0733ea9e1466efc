'use strict'

const { invalid } = require('./invalid')

/** The address of the schema itself, unless its `$id` says otherwise. */
const HERE = 'schema:///'

/** Keywords whose argument is a schema, a list of schemas, or an object of schemas. */
const ONE = ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains', 'unevaluatedItems', 'not', 'if', 'then', 'else']
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const NAMED = ['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']

/** Schemas in a schema, and how deep they may lie. */
const MOST = 10_000
const DEEPEST = 200

/** @typedef {{ base: string, place: string }} Location base: the address that references in it are relative to; place: a JSON pointer */

/** The schemas that lie in a schema, by their addresses. */
class Resources {
  /** @type {Map<string, any>} */
  #byAddress = new Map()
  /** Addresses of dynamic anchors. @type {Map<string, any>} */
  #dynamic = new Map()
  /** @type {Map<object, Location>} */
  #locations = new Map()
  #count = 0

  /** @param {any} schema */
  constructor (schema) {
    this.#byAddress.set(HERE, schema)
    this.#walk(schema, HERE, '', 0)
  }

  /** Whether references may lead elsewhere than they seem to. */
  get areDynamic () { return this.#dynamic.size > 0 }

  /** @param {object} schema @returns {Location} */
  locationOf (schema) { return /** @type {Location} */ (this.#locations.get(schema)) }

  /** @param {string} base @param {string} name @returns {any} */
  dynamicAnchor (base, name) { return this.#dynamic.get(`${base}#${name}`) }

  /**
   * @param {any} schema
   * @param {string} base
   * @param {string} place
   * @param {number} depth
   */
  #walk (schema, base, place, depth) {
    if (typeof schema === 'boolean') return
    if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) throw invalid(place, 'must be a schema: an object, true or false')
    if (this.#locations.has(schema)) return
    if (++this.#count > MOST) throw invalid('', `has more than ${MOST} schemas in it`)
    if (depth > DEEPEST) throw invalid('', 'is nested too deeply')
    const own = this.#name(schema, base, place)
    this.#locations.set(schema, { base: own, place })
    for (const keyword of ONE) if (Object.hasOwn(schema, keyword)) this.#walk(schema[keyword], own, `${place}/${keyword}`, depth + 1)
    for (const keyword of LIST) if (Object.hasOwn(schema, keyword)) this.#walkList(schema[keyword], own, `${place}/${keyword}`, depth)
    for (const keyword of NAMED) if (Object.hasOwn(schema, keyword)) this.#walkNamed(schema[keyword], own, `${place}/${keyword}`, depth)
  }

  /** @param {any} list @param {string} base @param {string} place @param {number} depth */
  #walkList (list, base, place, depth) {
    if (!Array.isArray(list) || list.length === 0) throw invalid(place, 'must be a list of schemas')
    list.forEach((schema, index) => this.#walk(schema, base, `${place}/${index}`, depth + 1))
  }

  /** @param {any} named @param {string} base @param {string} place @param {number} depth */
  #walkNamed (named, base, place, depth) {
    if (named === null || typeof named !== 'object' || Array.isArray(named)) throw invalid(place, 'must be an object of schemas')
    for (const name of Object.keys(named)) this.#walk(named[name], base, `${place}/${escape(name)}`, depth + 1)
  }

  /** Notes the names of a schema. @param {any} schema @param {string} base @param {string} place @returns {string} its base */
  #name (schema, base, place) {
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamic } = schema
    for (const name of ['$id', '$anchor', '$dynamicAnchor', '$ref', '$dynamicRef']) {
      if (schema[name] !== undefined && typeof schema[name] !== 'string') throw invalid(`${place}/${name}`, 'must be a string')
    }
    const own = id === undefined ? base : this.#addressOf(id, base, place)
    if (id !== undefined) this.#byAddress.set(own, schema)
    for (const name of [anchor, dynamic]) if (name !== undefined) this.#byAddress.set(`${own}#${name}`, schema)
    if (dynamic !== undefined) this.#dynamic.set(`${own}#${dynamic}`, schema)
    return own
  }

  /** @param {string} id @param {string} base @param {string} place */
  #addressOf (id, base, place) {
    const url = parseUrl(id, base)
    if (url === null || (url.hash !== '' && url.hash !== '#')) throw invalid(`${place}/$id`, 'must be an address without a fragment')
    url.hash = ''
    return url.href
  }

  /**
   * The schema that a reference names.
   *
   * @param {string} reference
   * @param {Location} from
   * @returns {any}
   */
  resolve (reference, { base, place }) {
    const url = parseUrl(reference, base)
    const fragment = url === null ? null : decode(url.hash.slice(1))
    if (url === null || fragment === null) throw invalid(place, `refers to ${JSON.stringify(reference)}, which is no address`)
    url.hash = ''
    const found = fragment === '' || fragment.startsWith('/') ? this.#follow(url.href, fragment) : this.#byAddress.get(`${url.href}#${fragment}`)
    if (found === undefined) throw invalid(place, `refers to ${JSON.stringify(reference)}, which is not in the schema`)
    return found
  }

  /** @param {string} address @param {string} pointer */
  #follow (address, pointer) {
    let base = address
    let at = this.#byAddress.get(address)
    for (const step of pointer.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined
      at = at[name]
      base = this.#locations.get(at)?.base ?? base
    }
    // It may lie where no keyword has it.
    if (at !== undefined) this.#walk(at, base, pointer, 0)
    return at
  }
}

/** @param {string} name */
function escape (name) { return name.replaceAll('~', '~0').replaceAll('/', '~1') }

/** @param {string} text @param {string} base */
function parseUrl (text, base) {
  try {
    return new URL(text, base)
  } catch {
    // An address like urn:… has none below it but fragments of its own.
    return text.startsWith('#') ? new URL(base + text) : null
  }
}

/** @param {string} text */
function decode (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

module.exports = { Resources, escape }
