'use strict'

const FILES = ['./', 'index.html', 'style.css', 'lists.js', 'page.js', 'pouchdb/pouchdb.min.js']

addEventListener('install', event => event.waitUntil(caches.open('page').then(cache => cache.addAll(FILES)).then(() => self.skipWaiting())))

addEventListener('activate', event => event.waitUntil(self.clients.claim()))

// The newest from the server, and without a network what is kept. What is below /db is not kept.
addEventListener('fetch', event => {
  const { pathname } = new URL(event.request.url)
  if (event.request.method !== 'GET' || /^\/db\//.test(pathname)) return
  event.respondWith(fetch(event.request).catch(() => caches.match(event.request)))
})
