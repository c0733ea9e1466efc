'use strict'

/**
 * A file in CommonJS as an ECMAScript module: esbuild then leaves out what nothing imports, and needs neither a function
 * around each file nor whole names between them. It takes files that require at their top and export at their end, as
 * those of this repository do.
 */

/** `const { name, name: other } = require('file')`, or `const name = require('file')`. */
const REQUIRE = /^const (\{[^{}]*\}|\w+) = require\(('[^']+')\)$/gm

/** `module.exports = { name, name: other }` */
const EXPORTS = /^module\.exports = \{([\s\w$,:]*)\}\s*$/m

/**
 * @param {string} code
 * @returns {string | undefined} undefined where the file is another way
 */
function toModule (code) {
  const exported = EXPORTS.exec(code)
  if (exported === null) return
  const module = code
    .replace(EXPORTS, () => `export { ${renamed(exported[1], (name, inner = name) => inner === name ? name : `${inner} as ${name}`)} }\n`)
    .replace(REQUIRE, (_, names, file) => `import ${names.startsWith('{') ? `{ ${renamed(names.slice(1, -1), (name, inner) => inner === undefined ? name : `${name} as ${inner}`)} }` : `* as ${names}`} from ${file}`)
  return /\brequire\(|^(module\.)?exports\b/m.test(module.replace(/^\s*(\*|\/\*|\/\/).*$/gm, '')) ? undefined : module
}

/** @param {string} list of `name` and `name: other` @param {(name: string, other?: string) => string} write */
function renamed (list, write) {
  return list.split(',').map(item => item.trim()).filter(item => item !== '').map(item => {
    const [name, other] = item.split(/\s*:\s*/)
    return write(name, other)
  }).join(', ')
}

module.exports = { toModule }
