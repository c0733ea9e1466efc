'use strict'

/**
 * Makes what browsers load: build/page.js for those who bundle a page themselves, without what pouchdb-core brings along, and
 * build/pouchdb.level.min.js for a script element beside PouchDB's own. Everything that Node.js alone has is replaced.
 */

const { readFileSync } = require('node:fs')
const { mkdir, writeFile } = require('node:fs/promises')
const path = require('node:path')
const { build, transform } = require('esbuild')
const { toModule } = require('./to-module')

const page = path.join(__dirname, '../page')
const root = path.join(__dirname, '../../..')

/** Files that differ in a page, by what they end in. */
const REPLACED = {
  'document-store/lib/access/access-rows.js': 'none/access.js',
  'document-store/lib/access/admission.js': 'none/access.js',
  'document-store/lib/access/gone.js': 'none/access.js',
  'document-store/lib/access/member-changes.js': 'none/access.js',
  'document-store/lib/access/member-diff.js': 'none/access.js',
  'document-store/lib/access/member-documents.js': 'none/access.js',
  'document-store/lib/access/member-store.js': 'none/access.js',
  'document-store/lib/attachments/decode-attachment.js': 'decode-attachment.js',
  'document-store/lib/attachments/encode-attachment.js': 'encode-attachment.js',
  'document-store/lib/commit/couch-hash.js': 'none/couch-hash.js',
  'document-store/lib/commit/edit-attachment.js': 'none/edit-attachment.js',
  'document-store/lib/commit/partition-totals.js': 'none/partitions.js',
  'document-store/lib/commit/prepared.js': 'none/prepared.js',
  'document-store/lib/reading/get-sync.js': 'none/get-sync.js',
  'indexes/lib/embedded/compile.js': 'indexes/compile.js',
  'indexes/lib/mango/selector/regex/clock.js': 'indexes/regex-clock.js',
  'indexes/lib/mango/selector/regex/threads.js': 'indexes/regex-threads.js',
  'indexes/lib/index/text-index.js': 'none/text-index.js',
  'collation/lib/icu.js': 'icu.js',
  'errors/lib/nearest-name.js': 'none/nearest-name.js',
  'errors/lib/server-errors.js': 'none/server-errors.js',
  'pouchdb-adapter-document-store/lib/content.js': 'content.js',
  'pouchdb-adapter-document-store/lib/json-query.js': 'none/json-query.js',
  'pouchdb-adapter-document-store/lib/search.js': 'none/search.js'
}

/** Files that a page loads when it asks for what they have. */
const LATE = {
  'document-store/lib/commit/purge.js': 'late/purge.js',
  'document-store/lib/history/at.js': 'late/history.js',
  'document-store/lib/history/entries.js': 'late/history.js'
}

/** The same for a script element, which has one file. */
const REPLACED_IN_SCRIPT = { 'page/late/load.js': 'late/at-hand.js' }

/** Packages whose index would bring along what servers alone need. */
const INDEXES = { '@potoroo/document-store': 'document-store.js', '@potoroo/indexes': 'late/views.js' }

/** Modules of Node.js. */
const MODULES = { 'node:crypto': 'crypto.js', 'node:os': 'os.js', 'node:buffer': 'bytes.js', buffer: 'bytes.js' }

/** Packages that come along with pouchdb-core. */
const SHARED = ['events', 'pouchdb-adapter-utils', 'pouchdb-binary-utils', 'pouchdb-collate', 'pouchdb-errors', 'pouchdb-selector-core', 'pouchdb-utils']

/** @param {boolean} isOneFile for a script element @returns {import('esbuild').Plugin} */
function pagePlugin (isOneFile) {
  /** @type {Record<string, string>} */
  const replaced = isOneFile ? { ...REPLACED, ...REPLACED_IN_SCRIPT } : REPLACED
  /** @param {string} file @param {string} importer */
  const at = (file, importer) => {
    // The file of what is late has itself.
    const others = importer.endsWith('/late/indexes.mjs') ? replaced : { ...LATE, ...replaced }
    const name = Object.keys(others).find(end => file.endsWith(`/${end}`))
    return { path: name === undefined ? file : path.join(page, others[name]), sideEffects: importer.endsWith('.mjs') }
  }
  return {
    name: 'page',
    setup ({ onLoad, onResolve }) {
      // These packages show their index alone.
      onResolve({ filter: /^(@potoroo\/.*|pouchdb-adapter-document-store)\/lib\// }, ({ path: name, importer }) => at(path.join(root, `${name.replace(/^@potoroo/, 'packages').replace(/^pouchdb/, 'adapters/pouchdb')}.js`), importer))
      onResolve({ filter: /^@potoroo\/(collation|errors)$/ }, ({ path: name, importer }) => at(path.join(root, name.replace('@potoroo', 'packages'), 'index.js'), importer))
      onResolve({ filter: /^\./ }, ({ path: name, importer }) => {
        return importer.includes('/node_modules/') ? undefined : at(path.resolve(path.dirname(importer), /\.m?js$/.test(name) ? name : `${name}.js`), importer)
      })
      onResolve({ filter: /^(@potoroo\/(document-store|indexes)|node:.*|buffer|events)$/ }, ({ path: name, importer }) => {
        if (name.endsWith('events')) return isOneFile ? { path: require.resolve('events/') } : { path: 'events', external: true }
        if (name === '@potoroo/document-store' && importer.includes('/packages/indexes/')) return at(path.join(page, 'indexes/document-store.js'), importer)
        const known = INDEXES[name] ?? MODULES[name]
        return known === undefined ? { errors: [{ text: `Pages have no ${name}` }] } : at(path.join(page, known), importer)
      })
      onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        if (file.includes('/node_modules/')) return
        const contents = toModule(readFileSync(file, 'utf8'))
        return contents === undefined ? { errors: [{ text: `${file} is not of the form that to-module.js takes` }] } : { contents, resolveDir: path.dirname(file) }
      })
    }
  }
}

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  inject: [path.join(page, 'globals.mjs')],
  nodePaths: [path.join(root, 'node_modules')],
  metafile: true,
  logLevel: 'warning',
  // page.mjs says what it exports as Node.js does.
  logOverride: { 'commonjs-variable-in-esm': 'silent' }
}

/**
 * Makes core.js, which has what both others need; page.js, which an application gets; and indexes.js, which it loads. esbuild
 * shares modules between files that are ECMAScript modules alone, and `require` is to give the plugin, so they are made CommonJS then.
 *
 * @param {string} folder
 */
async function bundleModules (folder) {
  const entryPoints = { page: path.join(page, 'page.mjs'), indexes: path.join(page, 'late/indexes.mjs') }
  const { metafile, outputFiles } = await build({ ...options, plugins: [pagePlugin(false)], entryPoints, format: 'esm', splitting: true, chunkNames: 'core', external: SHARED, outdir: folder, write: false })
  await mkdir(folder, { recursive: true })
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(text, { format: 'cjs', minify: true, platform: 'browser', target: 'es2022', logOverride: options.logOverride })
    await writeFile(file, code)
  }
  return metafile
}

/** Makes one file, for a script element, of a module. @param {string} file @param {string} outfile */
function bundleScript (file, outfile) {
  return build({ ...options, plugins: [pagePlugin(true)], entryPoints: [file], format: 'iife', outfile })
}

/** @param {string} folder where the files go */
async function bundle (folder) {
  const script = bundleScript(path.join(page, 'script.mjs'), path.join(folder, 'pouchdb.level.min.js'))
  return { module: await bundleModules(folder), script: (await script).metafile }
}

module.exports = { bundle, bundleScript }

if (require.main === module) {
  bundle(path.join(__dirname, '../build')).catch(() => { process.exitCode = 1 })
}
