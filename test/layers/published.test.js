'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const { existsSync, readFileSync } = require('node:fs')
const path = require('node:path')
const { root, listFiles, listWorkspaces } = require('./workspaces')

const version = JSON.parse(readFileSync(path.join(root, 'lerna.json'), 'utf8')).version

/** A preset of PouchDB is pouchdb-core's function, whose members Node.js does not find for `import { … }`. */
function ownNames (exported) {
  return exported === require('pouchdb-core') ? ['PouchDB'] : Object.keys(exported)
}

describe('published packages', () => {
  const published = listWorkspaces().filter(workspace => workspace.published)
  const names = published.map(workspace => workspace.name)

  // As npm does before it packs: some files are made.
  before(() => {
    for (const { folder, manifest } of published) {
      if (manifest.scripts.prepack !== undefined) execFileSync('npm', ['run', '--silent', 'prepack'], { cwd: path.join(root, folder) })
    }
  })

  for (const { folder, manifest } of published) {
    describe(folder, () => {
      it('has a README, types and a main file, and publishes them', () => {
        for (const file of ['README.md', manifest.types, manifest.main]) {
          assert.ok(existsSync(path.join(root, folder, file)), `${folder}/${file} is missing`)
          assert.ok(file === 'README.md' || manifest.files.includes(file), `files of package.json lacks ${file}`)
        }
      })

      it('has every file that it says it publishes', () => {
        assert.deepStrictEqual(manifest.files.filter(file => !existsSync(path.join(root, folder, file))), [])
      })

      it('says its licence, its Node.js and what it is', () => {
        assert.strictEqual(manifest.license, 'Apache-2.0')
        assert.strictEqual(manifest.engines.node, '>=20.19.0')
        assert.ok(manifest.description.length > 10)
      })

      it('has the common version, and depends on the others in it', () => {
        assert.strictEqual(manifest.version, version)
        const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies }
        const stale = Object.entries(dependencies).filter(([name, wanted]) => names.includes(name) && wanted !== version)
        assert.deepStrictEqual(stale, [])
      })

      it('says where it is from and where to report faults', () => {
        const { repository } = manifest
        assert.match(repository.url, /^git\+https:.*\.git$/)
        assert.strictEqual(repository.directory, folder)
        const site = repository.url.slice('git+'.length, -'.git'.length)
        assert.strictEqual(manifest.homepage, `${site}/tree/main/${folder}#readme`)
        assert.deepStrictEqual(manifest.bugs, { url: `${site}/issues` })
        assert.ok(manifest.keywords.length >= 3)
      })

      it('exports its main file with its types, its package.json, and files that are there', () => {
        const { browser, ...exported } = manifest.exports['.']
        assert.deepStrictEqual(exported, { types: `./${manifest.types}`, default: `./${manifest.main}` })
        assert.strictEqual(manifest.exports['./package.json'], './package.json')
        // Bundles are made when the package is packed.
        if (browser !== undefined) assert.match(manifest.scripts.prepack, /bundle/)
        for (const file of [...Object.values(exported), './package.json']) {
          assert.ok(existsSync(path.join(root, folder, file)), `${folder}/${file} is missing`)
        }
      })

      it('has tests, and a script that runs them', () => {
        assert.match(manifest.scripts.test, /\bmocha '/)
        assert.ok(listFiles(`${folder}/test`, /\.test\.js$/).length > 0)
      })

      it('is the same by import as by require', async () => {
        const imported = await import(manifest.name)
        const required = require(manifest.name)
        assert.strictEqual(imported.default, required)
        for (const name of ownNames(required)) assert.strictEqual(imported[name], required[name], name)
      })

      it('loads, and its types name everything that it exports', () => {
        const exported = ownNames(require(path.join(root, folder)))
        const types = readFileSync(path.join(root, folder, manifest.types), 'utf8')
        assert.deepStrictEqual(exported.filter(name => !new RegExp(`\\b${name}\\b`).test(types)), [])
      })
    })
  }
})

describe('package-lock.json', () => {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))

  it('names no registry', () => {
    const urls = Object.entries(lock.packages).filter(([, entry]) => /^[a-z+]+:\/\//.test(entry.resolved ?? ''))
    assert.deepStrictEqual(urls, [])
  })

  it('is in step with every package.json', () => {
    const fields = ['dependencies', 'optionalDependencies', 'devDependencies', 'peerDependencies']
    for (const folder of ['', ...listWorkspaces().map(workspace => workspace.folder)]) {
      const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
      for (const field of fields) {
        assert.deepStrictEqual(lock.packages[folder][field] ?? {}, manifest[field] ?? {}, `${field} of ${folder || 'the root'}`)
      }
    }
  })
})
