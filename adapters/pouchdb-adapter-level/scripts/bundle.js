'use strict'

/**
 * Makes what browsers load: build/page.js for those who bundle a page themselves, without what pouchdb-core brings along, and
 * build/pouchdb.level.min.js for a script element beside PouchDB's own. Everything that Node.js alone has is replaced.
 */

const { readFileSync } = require('node:fs')
const path = require('node:path')
const { build } = require('esbuild')
const { toModule } = require('./to-module')

const page = path.join(__dirname, '../page')
const root = path.join(__dirname, '../../..')

/** Files that differ in a page, by what they end in. */
const REPLACED = {
  'document-store/lib/attachments/decode-attachment.js': 'decode-attachment.js',
  'document-store/lib/attachments/encode-attachment.js': 'encode-attachment.js',
  'document-store/lib/access/access-rows.js': 'no-access.js',
  'document-store/lib/access/admission.js': 'no-access.js',
  'document-store/lib/access/member-store.js': 'no-access.js',
  'document-store/lib/access/member-documents.js': 'no-access.js',
  'document-store/lib/access/member-changes.js': 'no-access.js',
  'document-store/lib/access/member-diff.js': 'no-access.js',
  'document-store/lib/access/gone.js': 'no-access.js',
  'indexes/lib/embedded/compile.js': 'compile.js',
  'indexes/lib/mango/selector/regex/clock.js': 'regex-clock.js',
  'indexes/lib/mango/selector/regex/threads.js': 'regex-threads.js',
  'collation/lib/icu.js': 'icu.js',
  'pouchdb-adapter-document-store/lib/content.js': 'content.js',
  'pouchdb-adapter-document-store/lib/json-query.js': 'no-json-query.js'
}

/** Packages whose index would bring along what servers alone need. */
const INDEXES = { '@potoroo/document-store': 'document-store.js', '@potoroo/indexes': 'indexes.js' }

/** Modules of Node.js. */
const MODULES = { 'node:crypto': 'crypto.js', 'node:os': 'os.js', 'node:buffer': 'bytes.js', buffer: 'bytes.js' }

/** Packages that come along with pouchdb-core. */
const SHARED = ['pouchdb-adapter-utils', 'pouchdb-binary-utils', 'pouchdb-collate', 'pouchdb-errors', 'pouchdb-selector-core', 'pouchdb-utils']

/** @type {import('esbuild').Plugin} */
const plugin = {
  name: 'page',
  setup ({ onLoad, onResolve }) {
    const at = (/** @type {string} */ file) => ({ path: replaced(file), sideEffects: false })
    // These packages show their index alone.
    onResolve({ filter: /^(@potoroo\/.*|pouchdb-adapter-document-store)\/lib\// }, ({ path: name }) => at(path.join(root, `${name.replace(/^@potoroo/, 'packages').replace(/^pouchdb/, 'adapters/pouchdb')}.js`)))
    onResolve({ filter: /^@potoroo\/(collation|errors)$/ }, ({ path: name }) => at(path.join(root, name.replace('@potoroo', 'packages'), 'index.js')))
    onResolve({ filter: /^\./ }, ({ path: name, importer }) => {
      return importer.includes('/node_modules/') ? undefined : at(path.resolve(path.dirname(importer), /\.m?js$/.test(name) ? name : `${name}.js`))
    })
    onResolve({ filter: /^(@potoroo\/(document-store|indexes)|node:.*|buffer|events)$/ }, ({ path: name }) => {
      if (name.endsWith('events')) return { path: require.resolve('events/') }
      const known = INDEXES[name] ?? MODULES[name]
      return known === undefined ? { errors: [{ text: `Pages have no ${name}` }] } : at(path.join(page, known))
    })
    onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      if (file.includes('/node_modules/')) return
      const contents = toModule(readFileSync(file, 'utf8'))
      return contents === undefined ? { errors: [{ text: `${file} is not of the form that to-module.js takes` }] } : { contents, resolveDir: path.dirname(file) }
    })
  }
}

/** @param {string} file */
function replaced (file) {
  const name = Object.keys(REPLACED).find(end => file.endsWith(`/${end}`))
  return name === undefined ? file : path.join(page, REPLACED[name])
}

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  inject: [path.join(page, 'globals.mjs')],
  plugins: [plugin],
  nodePaths: [path.join(root, 'node_modules')],
  metafile: true,
  logLevel: 'warning',
  // index.mjs says what it exports as Node.js does.
  logOverride: { 'commonjs-variable-in-esm': 'silent' }
}

/** @param {string} folder where the files go */
async function bundle (folder) {
  const module = build({ ...options, entryPoints: [path.join(page, 'index.mjs')], format: 'cjs', external: SHARED, outfile: path.join(folder, 'page.js') })
  const script = build({ ...options, entryPoints: [path.join(page, 'script.mjs')], format: 'iife', outfile: path.join(folder, 'pouchdb.level.min.js') })
  return { module: (await module).metafile, script: (await script).metafile }
}

module.exports = { bundle }

if (require.main === module) {
  bundle(path.join(__dirname, '../build')).catch(() => { process.exitCode = 1 })
}
