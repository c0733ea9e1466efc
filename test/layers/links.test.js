'use strict'

const assert = require('node:assert')
const { existsSync, statSync } = require('node:fs')
const path = require('node:path')
const { read } = require('./markdown')
const { listFiles, root } = require('./workspaces')

/** @returns {string[]} all Markdown files of the repository, relative to the root */
function markdownFiles () {
  const folders = ['adapters', 'docs', 'packages', 'perf', 'scripts', 'server', 'test', '.github']
  const loose = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'UPGRADING.md']
  return [...loose.filter(name => existsSync(path.join(root, name))), ...folders.flatMap(folder => listFiles(folder, /\.md$/))]
}

/** Code is no link, whatever is in it. */
function withoutCode (markdown) {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, 'code')
}

/** @returns {string[]} targets of links and pictures that lead to files of the repository */
function relativeTargets (markdown) {
  return [...withoutCode(markdown).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target).filter(target => !/^[a-z][a-z+.-]*:/i.test(target))
}

/** Paths of source files in code: `lib/http/body.js`. @returns {string[]} */
function sourcePaths (markdown) {
  return [...markdown.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:js|cc|h))`/g)].map(([, name]) => name).filter(name => !/\/[A-Z]+\./.test(name))
}

const sources = ['adapters', 'packages', 'perf', 'scripts', 'server', 'test'].flatMap(folder => listFiles(folder, /\.(js|cc|h)$/))

/** The anchors of headings, as GitHub makes them. */
function anchorsOf (markdown) {
  const seen = new Map()
  const titles = [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, title]) => title)
  return new Set(titles.map(title => {
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
    const before = seen.get(plain) ?? 0
    seen.set(plain, before + 1)
    return before === 0 ? plain : `${plain}-${before}`
  }))
}

/** @returns {string | null} what is wrong with a link */
function fault (file, target) {
  const [place, anchor] = target.split('#')
  const name = path.normalize(place === '' ? file : path.join(path.dirname(file), decodeURIComponent(place)))
  if (name.startsWith('..')) return 'leads out of the repository'
  if (!existsSync(path.join(root, name))) return 'leads nowhere'
  if (anchor === undefined) return null
  const document = statSync(path.join(root, name)).isDirectory() ? path.join(name, 'README.md') : name
  if (!document.endsWith('.md')) return null
  return anchorsOf(read(document)).has(anchor) ? null : 'has no such heading'
}

describe('links in Markdown files', () => {
  for (const file of markdownFiles()) {
    it(`of ${file} lead somewhere`, () => {
      const faults = relativeTargets(read(file)).map(target => [target, fault(file, target)]).filter(([, wrong]) => wrong !== null)
      assert.deepStrictEqual(faults, [])
    })
  }

  it('name source files that are there', () => {
    const gone = markdownFiles().flatMap(file => sourcePaths(read(file)).filter(name => !sources.some(source => `/${source}`.endsWith(`/${name}`))).map(name => `${file}: ${name}`))
    assert.deepStrictEqual(gone, [])
  })

  it('are found', () => {
    assert.ok(sourcePaths(read('server/CONTRIBUTING.md')).length > 5)
    assert.ok(relativeTargets(read('README.md')).length > 5)
  })
})
