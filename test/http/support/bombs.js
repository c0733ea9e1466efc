'use strict'

/** Code that goes wrong when a function runs. */
const bombs = {
  'runs for ever': 'function () { while (true) {} }',
  'catches what would stop it': 'function () { while (true) { try { while (true) {} } catch (e) {} } }',
  'needs all memory': 'function () { var a = []; while (true) a.push({ n: a.length }) }',
  'sends without end': 'function () { while (true) send("x".repeat(100000)) }',
  'recurses without end': 'function f () { return f() + 1 }',
  'gives what does not end': 'function () { var a = {}; a.a = a; return { json: a } }',
  'throws null': 'function () { throw null }',
  'throws what throws': 'function () { throw { toString () { throw this }, get error () { throw 1 } } }',
  'breaks lists': 'function () { Array.prototype.push = Array.prototype.join = Array.prototype.map = function () { throw 1 }; Object.prototype.toJSON = function () { return "x" }; return "y" }',
  'breaks objects': 'function () { Object.defineProperty(Object.prototype, "body", { get () { throw 1 } }); Object.prototype.then = 1; return {} }',
  'forges pieces': 'function () { JSON.stringify = toJSON = function () { return "+forged" }; start({ code: 200 }); return "\\n!{}" }',
  'takes what is not its own': 'function () { return typeof __more + typeof __run + typeof __prelude + typeof __mediaTypes + typeof process }'
}

/** Under names that are safe in URLs, in their order. @param {Record<string, string>} functions @returns {Record<string, string>} */
const named = functions => Object.fromEntries(Object.values(functions).map((source, i) => [`f${i}`, source]))

module.exports = { bombs, named }
