'use strict'

const crypto = require('node:crypto')
const { absoluteUrl } = require('../../http/absolute-url')
const { readBanner } = require('../../service/banner')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5b6876; --paper: #fbfaf8; --card: #fff; --line: #e3dfd8; --accent: #a4461b }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --soft: #a5adb6; --paper: #15181c; --card: #1d2126; --line: #333a42; --accent: #f0a37c } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 4rem 1.25rem }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.1rem }
p { margin: .5rem 0 }
.soft { color: var(--soft) }
pre { overflow-x: auto; margin: .75rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; font: .875rem/1.5 ui-monospace, monospace }
a { color: var(--accent) }
.button { display: inline-block; margin-top: 1rem; padding: .6rem 1.1rem; border-radius: .5rem; background: var(--accent); color: var(--paper); font-weight: 600; text-decoration: none }
`

/** Nothing is loaded and nothing runs: the page is text. */
const POLICY = `default-src 'none'; style-src 'sha256-${crypto.hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/**
 * Sends what a browser shows at `/`: what this is, and how to go on.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function sendWelcomePage (req, res) {
  const page = Buffer.from(pageOf(absoluteUrl(req, ''), `${req.baseUrl ?? ''}/_utils/`))
  res.writeHead(200, ['Content-Length', String(page.length), 'Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', POLICY, 'Cache-Control', 'no-store', 'Vary', 'Accept'])
  res.end(req.method === 'HEAD' ? undefined : page)
}

/** @param {string} url of this server, as the client has it @param {string} fauxton */
function pageOf (url, fauxton) {
  const { couchdb, version } = readBanner()
  const server = escapeHtml(url)
  const { host, protocol } = URL.canParse(url) ? new URL(url) : { host: url, protocol: 'http:' }
  const named = escapeHtml(`${protocol}//name:password@${host}`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Potoroo</title>
<style>${STYLE}</style>
<main>
<h1>Potoroo is running</h1>
<p class="soft">A database for JSON documents that syncs. Version ${version}, with the API of CouchDB ${couchdb}.</p>
<a class="button" href="${escapeHtml(fauxton)}">Open Fauxton</a>
<p class="soft">Fauxton makes databases, documents, queries and users. It asks for the administrator whom the first start made, or you named.</p>
<h2>Make a database</h2>
<pre>curl -X PUT ${named}/todos</pre>
<h2>Sync a web page with it</h2>
<pre>const todos = new PouchDB('todos')
todos.sync('${named}/todos', {
  live: true, retry: true
})</pre>
<p class="soft">A new database is for administrators, until its permissions in Fauxton let others in.</p>
<h2>Ask it</h2>
<pre>curl ${server}/_up</pre>
<p class="soft">Programs that ask for <code>${server}/</code> get JSON, as from any CouchDB. The command <code>potoroo --help</code> lists what backs up, restores, checks and imports.</p>
</main>
</html>
`
}

/** @param {string} text */
function escapeHtml (text) { return text.replace(/[&<>"']/g, each => `&#${each.charCodeAt(0)};`) }

module.exports = { sendWelcomePage }
