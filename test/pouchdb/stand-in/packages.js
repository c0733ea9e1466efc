'use strict'

const Module = require('node:module')
const path = require('node:path')

/** Packages that the tests ask for and that are not installed here, or is built only in PouchDB's repository. */
const own = {
  'pouchdb-for-coverage': path.join(__dirname, 'coverage.js'),
  bluebird: path.join(__dirname, 'bluebird.js'),
  rimraf: path.join(__dirname, 'rimraf.js'),
  memdown: path.join(__dirname, 'memdown.js')
}

/**
 * Gives the tests of a checkout, or of a release, the packages that are installed here in place of
 * its own: the version of a package is the one that applications get.
 *
 * @param {string} checkout
 */
function replacePackages (checkout) {
  const built = path.join(checkout, 'packages/node_modules') + path.sep
  /** @type {any} */
  const { _resolveFilename: resolve } = Module
  Object.assign(Module, {
    _resolveFilename (request, parent, ...rest) {
      const wanted = parent?.filename?.startsWith(checkout + path.sep) ? nameOf(request, parent.filename, built) : undefined
      if (wanted === undefined) return resolve.call(this, request, parent, ...rest)
      return own[wanted] ?? require.resolve(wanted === 'pouchdb/package.json' ? 'pouchdb-core/package.json' : wanted)
    }
  })
}

/** The package, and what in it, or undefined where a test asks for a file of its own. */
function nameOf (request, filename, built) {
  if (!request.startsWith('.')) return Module.isBuiltin(request) ? undefined : request
  const file = path.resolve(path.dirname(filename), request)
  return file.startsWith(built) ? file.slice(built.length) : undefined
}

module.exports = { replacePackages }
