'use strict'

// The game as the server has it is a document, and a move is one that this browser writes: PouchDB keeps both in step.

const ROWS = 6
const database = new PouchDB('four-in-a-row')
const element = id => document.getElementById(id)

/** @param {number | 'new'} column */
function ask (column) {
  return database.put({ _id: `move:${Date.now()}:${Math.random()}`, kind: 'move', player: element('player').value, column })
}

function show ({ columns, message }) {
  element('message').textContent = message
  element('board').replaceChildren(...columns.map((discs, column) => {
    const button = document.createElement('button')
    button.ariaLabel = `Column ${column + 1}`
    button.append(...Array.from({ length: ROWS }, (_, row) => Object.assign(document.createElement('i'), { className: discs[row] ?? '' })))
    button.addEventListener('click', () => ask(column))
    return button
  }))
}

element('new').addEventListener('click', () => ask('new'))
database.get('game').then(show, () => {}) // what there was when the page was left
database.changes({ since: 'now', live: true, include_docs: true, doc_ids: ['game'] }).on('change', ({ doc }) => show(doc))
const remote = new PouchDB(new URL('db/four-in-a-row', location.href).href, { skip_setup: true })
database.replicate.from(remote, { live: true, retry: true, doc_ids: ['game'] })
database.replicate.to(remote, { live: true, retry: true, filter: doc => doc.kind === 'move' })
