'use strict'

/*
 * Picks the media type that a client likes best of those that a function provides. It runs inside QuickJS, before
 * prelude-render.js, which takes `__mediaTypes` out of strangers' sight.
 */
;(function (/** @type {import('./prelude').World} */ global) {
  /** @typedef {{ type: string, subtype: string, parameters: Record<string, string>, quality: number }} Range a media type or range */

  const { parse, stringify } = JSON
  const { create } = Object

  /** Types that functions may name without registering them; of several types the first is answered with. */
  const KNOWN = stringify([
    ['all', '*/*'],
    ['text', 'text/plain; charset=utf-8', 'txt'],
    ['html', 'text/html; charset=utf-8'],
    ['xhtml', 'application/xhtml+xml', 'xhtml'],
    ['xml', 'application/xml', 'text/xml', 'application/x-xml'],
    ['js', 'text/javascript', 'application/javascript', 'application/x-javascript'],
    ['css', 'text/css'],
    ['ics', 'text/calendar'],
    ['csv', 'text/csv'],
    ['rss', 'application/rss+xml'],
    ['atom', 'application/atom+xml'],
    ['yaml', 'application/x-yaml', 'text/yaml'],
    ['multipart_form', 'multipart/form-data'],
    ['url_encoded_form', 'application/x-www-form-urlencoded'],
    ['json', 'application/json', 'text/x-json']
  ])

  /** @type {Record<string, string[]>} */
  const typesOf = create(null)
  /** @type {Record<string, string>} */
  const nameOf = create(null)

  /**
   * The last to register a name or a type has it.
   *
   * @param {string} name
   * @param {string[]} types
   */
  function register (name, types) {
    typesOf[name] = types
    for (let i = 0; i < types.length; i++) nameOf[types[i]] = name
  }

  const known = parse(KNOWN)
  for (let i = 0; i < known.length; i++) register(known[i][0], known[i].slice(1))

  /**
   * `{ type, subtype, parameters, quality }` of a media type or range.
   *
   * @param {string} text
   * @returns {Range}
   */
  function readRange (text) {
    const parameters = create(null)
    const parts = text.split(';')
    for (let i = 1; i < parts.length; i++) {
      const pair = parts[i].split('=')
      if (pair.length === 2) parameters[pair[0].trim()] = pair[1].trim()
    }
    const whole = parts[0].trim()
    const [type, subtype] = (whole === '*' ? '*/*' : whole).split('/')
    const quality = Number.parseFloat(parameters.q)
    return { type, subtype, parameters, quality: quality >= 0 && quality <= 1 ? quality : 1 }
  }

  /**
   * How exactly a range means a type: -1 for not at all.
   *
   * @param {Range} type
   * @param {Range} range
   */
  function fitness (type, range) {
    const matches = (/** @type {string} */ one, /** @type {string} */ other) => one === other || one === '*' || other === '*'
    if (!matches(type.type, range.type) || !matches(type.subtype, range.subtype)) return -1
    let same = 0
    for (const name in type.parameters) if (name !== 'q' && type.parameters[name] === range.parameters[name]) same++
    return (type.type === range.type ? 100 : 0) + (type.subtype === range.subtype ? 10 : 0) + same
  }

  /**
   * How well a type is met, as a text that sorts: CouchDB compares these, so `9` is after `10`.
   *
   * @param {string} type
   * @param {Range[]} ranges
   * @param {number} position
   */
  function weigh (type, ranges, position) {
    const own = readRange(type)
    let best = -1
    let quality = 0
    for (let i = 0; i < ranges.length; i++) {
      const fits = fitness(own, ranges[i])
      if (fits > best) {
        best = fits
        quality = ranges[i].quality
      }
    }
    return { type, quality, key: `${best},${quality},${position},${type}` }
  }

  /**
   * @param {string[]} types
   * @param {string} accept
   * @returns {string} the type that is met best, or an empty text
   */
  function choose (types, accept) {
    const ranges = accept.split(',').map(readRange)
    let found = { type: '', quality: 0, key: '' }
    for (let i = 0; i < types.length; i++) {
      const each = weigh(types[i], ranges, i)
      if (each.key > found.key) found = each
    }
    return found.quality > 0 ? found.type : ''
  }

  global.__mediaTypes = { register, choose, types: (/** @type {string} */ name) => typesOf[name], name: (/** @type {string} */ type) => nameOf[type] }
})(/** @type {any} */ (globalThis))
