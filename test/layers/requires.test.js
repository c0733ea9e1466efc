'use strict'

const assert = require('node:assert')
const { builtinModules } = require('node:module')
const path = require('node:path')
const { listWorkspaces, sourceFiles, requiredModules, packageOf } = require('./workspaces')

// From the bottom up. A package may use what stands on a line before its own.
const layers = [
  ['@potoroo/errors', '@potoroo/addons', '@potoroo/fauxton'],
  ['pmemobj', '@potoroo/collation', '@potoroo/multipart'],
  ['pmem-level', 'postgres-level'],
  ['@potoroo/storage'],
  ['@potoroo/document-store'],
  ['@potoroo/document-objects'],
  ['@potoroo/query-server', '@potoroo/replicator', '@potoroo/search'],
  ['@potoroo/import'],
  ['@potoroo/indexes'],
  ['pouchdb-adapter-document-store'],
  ['pouchdb-adapter-pmem', 'pouchdb-adapter-classic-level', 'pouchdb-adapter-memory-level', 'pouchdb-fast-sync', 'pouchdb-adapter-level'],
  ['pouchdb-potoroo'],
  ['potoroo'],
  ['potoroo-perf']
]

const storages = ['pmemobj', 'pmem-level', 'postgres-level', 'pg', '@potoroo/storage', 'classic-level', 'memory-level', 'level']

// Packages that get no storage by themselves: they are handed an abstract-level database.
const forbidden = {
  '@potoroo/document-store': [...storages, 'express', 'pouchdb-core'],
  '@potoroo/query-server': [...storages, 'express'],
  '@potoroo/indexes': [...storages, 'express'],
  '@potoroo/search': [...storages, 'express'],
  '@potoroo/replicator': [...storages, 'express'],
  // It reads PouchDB's LevelDB, which is nobody's storage here.
  '@potoroo/import': [...storages.filter(name => name !== 'classic-level'), 'express', 'pouchdb-core'],
  'pouchdb-adapter-document-store': [...storages, 'express'],
  'pmem-level': ['express', 'pouchdb-core'],
  'postgres-level': ['express', 'pouchdb-core'],
  potoroo: ['pmemobj', 'pmem-level', 'postgres-level', 'pg', 'classic-level', 'memory-level']
}

const layerOf = name => layers.findIndex(layer => layer.includes(name))

describe('layers', () => {
  const workspaces = listWorkspaces()

  it('have a place for every package', () => {
    assert.deepStrictEqual(workspaces.map(workspace => workspace.name).filter(name => layerOf(name) === -1), [])
  })

  for (const workspace of workspaces) {
    describe(workspace.folder, () => {
      const uses = sourceFiles(workspace).flatMap(file => requiredModules(file).map(specifier => ({ file, specifier })))
      const packages = uses.filter(({ specifier }) => !specifier.startsWith('.') && !isBuiltin(specifier))
        .map(({ file, specifier }) => ({ file, name: packageOf(specifier) }))

      it('has code', () => {
        assert.ok(sourceFiles(workspace).length > 0)
      })

      it('uses only what lies below it', () => {
        const upwards = packages.filter(({ name }) => name !== workspace.name && layerOf(name) >= layerOf(workspace.name))
        assert.deepStrictEqual(upwards, [])
      })

      it('does not know what lies further down than its neighbour', () => {
        const known = packages.filter(({ name }) => forbidden[workspace.name]?.includes(name))
        assert.deepStrictEqual(known, [])
      })

      if (workspace.published) {
        it('declares what it uses', () => assert.deepStrictEqual(undeclared(), []))
      }

      function undeclared () {
        const { dependencies, devDependencies, files, optionalDependencies, peerDependencies } = workspace.manifest
        const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
        // The sources of a bundle are not published.
        const isPublished = file => files === undefined || files.some(name => `${file}/`.startsWith(`${workspace.folder}/${name}/`))
        return packages.filter(({ file, name }) => name !== workspace.name && !declared.includes(name) && (isPublished(file) || !Object.hasOwn(devDependencies ?? {}, name)))
      }

      it('does not reach into another package by a path', () => {
        const outside = uses.filter(({ file, specifier }) => {
          const target = path.posix.join(path.posix.dirname(file), specifier)
          // Benchmarks start what tests start.
          const isLent = workspace.folder === 'perf' && target.startsWith('test/support/')
          return specifier.startsWith('.') && !isLent && path.posix.relative(workspace.folder, target).startsWith('..')
        })
        assert.deepStrictEqual(outside, [])
      })
    })
  }
})

function isBuiltin (specifier) {
  return specifier.startsWith('node:') || builtinModules.includes(specifier)
}
