'use strict'

const find = selector => document.querySelector(selector)

let lists = null

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

async function enter (name) {
  localStorage.name = name
  lists = new Lists(name)
  lists.addEventListener('change', show)
  lists.addEventListener('state', ({ detail }) => { find('#state').textContent = detail })
  lists.start()
  find('#who').textContent = name
  find('#enter').hidden = true
  find('#inside').hidden = false
  await show()
}

async function leave () {
  await ask('db/_session', undefined, 'DELETE').catch(() => {})
  await lists.stop()
  lists = null
  localStorage.removeItem('name')
  find('#enter').hidden = false
  find('#inside').hidden = true
  find('#lists').replaceChildren()
}

async function show () {
  const all = await lists.all()
  const wanted = find('#search').value.toLowerCase()
  const matches = ({ title }) => title.toLowerCase().includes(wanted)
  find('#lists').replaceChildren(...all.filter(list => matches(list) || list.items.some(matches)).map(sectionOf))
}

function sectionOf (list) {
  const section = find('#list').content.firstElementChild.cloneNode(true)
  const within = selector => section.querySelector(selector)
  const isShared = String(list._access).startsWith('role:')
  within('h2').textContent = list.title
  within('small').textContent = isShared ? 'shared' : 'yours'
  within('ul').append(...list.items.map(itemOf))
  within('.add-item').onsubmit = telling(() => lists.addItem(list, within('.add-item input').value))
  within('.share').onsubmit = telling(() => lists.share(list, within('.share input').value))
  within('.leave').hidden = !isShared
  within('.leave').onclick = telling(() => lists.leave(list))
  return section
}

function itemOf (item) {
  const [row, label, box, remove] = ['li', 'label', 'input', 'button'].map(name => document.createElement(name))
  Object.assign(box, { type: 'checkbox', checked: item.done, onchange: telling(() => lists.tick(item)) })
  Object.assign(remove, { textContent: '×', title: 'Remove', onclick: telling(() => lists.remove(item)) })
  label.className = item.done ? 'done' : ''
  label.append(box, ' ', item.title)
  row.append(label, ' ', remove)
  return row
}

find('#enter').onsubmit = telling(async ({ submitter }) => {
  const [name, password] = [find('#name').value, find('#password').value]
  if (submitter?.value === 'up') await ask('app/people', { name, password })
  await ask('db/_session', { name, password })
  await enter(name)
})
find('#out').onclick = telling(leave)
find('#search').oninput = telling(show)
find('#add-list').onsubmit = telling(async ({ target }) => {
  await lists.addList(target.elements[0].value)
  target.reset()
})

// The page itself is kept in the browser too.
navigator.serviceWorker.register('worker.js')
if (localStorage.name !== undefined) enter(localStorage.name)
