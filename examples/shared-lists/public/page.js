'use strict'

const find = selector => document.querySelector(selector)

let lists = null
let turn = 0

/** Shows what goes wrong, and nothing once something goes right. */
const telling = work => async event => {
  event?.preventDefault()
  try {
    await work(event)
    find('#message').textContent = ''
  } catch (error) {
    find('#message').textContent = error.message
  }
}

/** The same for a form with one field, which is emptied. */
const sending = work => telling(async ({ target }) => {
  await work(target.elements[0].value)
  target.reset()
})

async function enter (name) {
  await lists?.stop()
  localStorage.name = name
  lists = new Lists(name)
  lists.addEventListener('change', show)
  lists.addEventListener('state', ({ detail }) => { find('#state').textContent = detail })
  lists.addEventListener('expired', askAgain)
  lists.start()
  find('#who').textContent = name
  showInside(true)
  await show()
}

async function leave () {
  await ask('db/_session', { method: 'DELETE' })
  await lists.stop()
  lists = null
  localStorage.removeItem('name')
  find('#lists').replaceChildren()
  showInside(false)
}

/** The lists stay, and what is added to them waits for the next login. */
function askAgain () {
  find('#state').textContent = 'log in again'
  find('#enter').hidden = false
  find('#name').value = lists.name
}

function showInside (isInside) {
  find('#enter').hidden = isInside
  for (const id of ['#inside', '#me']) find(id).hidden = !isInside
}

/** Shows the lists in which the words of the search are, and again with each change. */
async function show () {
  const mine = ++turn
  const all = await lists.all()
  if (mine !== turn) return
  const wanted = find('#search').value.toLowerCase()
  const matches = ({ title }) => title.toLowerCase().includes(wanted)
  fill(find('#lists'), all.filter(list => matches(list) || list.items.some(matches)), '#list', showList)
}

/** Shows a document in each child of an element. Children stay, with what is typed and focused there. */
function fill (parent, docs, template, update) {
  for (const child of [...parent.children]) if (!docs.some(({ _id }) => _id === child.id)) child.remove()
  docs.forEach((doc, i) => {
    const child = document.getElementById(doc._id) ?? Object.assign(find(template).content.firstElementChild.cloneNode(true), { id: doc._id })
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null)
    update(doc, selector => child.querySelector(selector))
  })
}

function showList (list, within) {
  const isShared = String(list._access).startsWith('role:')
  within('h2').textContent = list.title
  within('small').textContent = isShared ? 'shared' : 'yours'
  within('.add-item').onsubmit = sending(title => lists.addItem(list, title))
  within('.share').onsubmit = sending(friend => lists.share(list, friend))
  within('.leave').hidden = !isShared
  within('.leave').onclick = telling(() => lists.leave(list))
  fill(within('ul'), list.items, '#item', showItem)
}

function showItem (item, within) {
  within('label').className = item.done ? 'done' : ''
  within('span').textContent = item.title
  Object.assign(within('input'), { checked: item.done, onchange: telling(() => lists.tick(item)) })
  Object.assign(within('.remove'), { ariaLabel: `Remove ${item.title}`, onclick: telling(() => lists.remove(item)) })
  Object.assign(within('.history'), { ariaLabel: `History of ${item.title}`, onclick: telling(() => showHistory(item, within('ol'))) })
}

async function showHistory (item, lines) {
  if (lines.hidden) lines.replaceChildren(...(await lists.history(item)).map(text => Object.assign(document.createElement('li'), { textContent: text })))
  lines.hidden = !lines.hidden
}

find('#enter').onsubmit = telling(async ({ submitter }) => {
  const person = { name: find('#name').value, password: find('#password').value }
  if (submitter?.value === 'up') await ask('db/_app/people', { body: person })
  await ask('db/_session', { body: person })
  find('#enter').reset()
  await enter(person.name)
})
find('#out').onclick = telling(leave)
find('#search').oninput = telling(show)
find('#add-list').onsubmit = sending(title => lists.addList(title))

// The page itself is kept in the browser too.
navigator.serviceWorker.register('worker.js')
if (localStorage.name !== undefined) enter(localStorage.name)
