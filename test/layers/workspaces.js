'use strict'

const { existsSync, readdirSync, readFileSync } = require('node:fs')
const path = require('node:path')
const ts = require('typescript')

const root = path.resolve(__dirname, '../..')

/**
 * A package of this repository.
 *
 * @typedef {{ name: string, folder: string, manifest: any, published: boolean }} Workspace
 *   `folder` is relative to the root.
 */

/** @returns {Workspace[]} */
function listWorkspaces () {
  const folders = ['packages', 'adapters'].flatMap(group => readdirSync(path.join(root, group)).map(name => `${group}/${name}`))
  return [...folders, 'server', 'perf']
    .filter(folder => existsSync(path.join(root, folder, 'package.json')))
    .map(folder => {
      const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
      return { name: manifest.name, folder, manifest, published: manifest.private !== true }
    })
}

/**
 * @param {string} folder relative to the root
 * @param {RegExp} pattern what a file's name must match
 * @returns {string[]} files below it, relative to the root; without node_modules and build outputs
 */
function listFiles (folder, pattern) {
  if (!existsSync(path.join(root, folder))) return []
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return ['node_modules', 'build'].includes(entry.name) ? [] : listFiles(name, pattern)
    return pattern.test(entry.name) ? [name] : []
  })
}

/** @returns {string[]} what a package publishes as code: everything but its tests */
function sourceFiles (workspace) {
  return listFiles(workspace.folder, /\.js$/).filter(file => !file.slice(workspace.folder.length).startsWith('/test/'))
}

/** @returns {string[]} the modules that a JavaScript file requires or imports */
function requiredModules (file) {
  return ts.preProcessFile(readFileSync(path.join(root, file), 'utf8'), true, true).importedFiles.map(reference => reference.fileName)
}

/** `@scope/name/file` → `@scope/name`. */
function packageOf (specifier) {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

module.exports = { root, listWorkspaces, listFiles, sourceFiles, requiredModules, packageOf }
