'use strict'

// The process whose memory is looked at. It is asked `{ step, ... }` and answers when that is done.

const fs = require('node:fs')
const path = require('node:path')
const { content, consume } = require('../attachments/content')

const levels = {
  pmem: (folder) => new (require('pmem-level').PmemLevel)(path.join(folder, 'level')),
  'classic-level': (folder) => new (require('classic-level').ClassicLevel)(path.join(folder, 'level'))
}

/** The work of each face; `start` makes `subject`. */
const faces = {
  'document store': {
    async start ({ folder, storage }) {
      const level = levels[storage](folder)
      await level.open()
      const store = await require('@potoroo/document-store').DocumentStore.open(level)
      return { store, close: async () => { await store.close(); await level.close() } }
    },
    in: ({ store }, { bytes, id }) => store.put({ _id: id, _attachments: { f: { data: content(bytes) } } }),
    async out ({ store }, { bytes, id }) { await consume((await store.getAttachment(id, 'f')).stream(), bytes) },
    async drop ({ store }, { id }) {
      await store.put({ _id: id, _rev: (await store.get(id)).rev, _deleted: true })
      await store.compact()
    }
  },
  PouchDB: {
    async start ({ folder, storage }) {
      const PouchDB = require('pouchdb-core')
      PouchDB.plugin(require(`pouchdb-adapter-${storage}`))
      const db = new PouchDB(path.join(folder, 'db'), { adapter: storage })
      return { db, folder, close: () => db.close() }
    },
    async in ({ db, folder }, { bytes, id }) {
      const file = path.join(folder, 'file')
      await fs.promises.writeFile(file, content(bytes))
      await db.putAttachment(id, 'f', await fs.openAsBlob(file), 'application/octet-stream')
      fs.rmSync(file)
    },
    async out ({ db }, { bytes, id }) { await consume(await db.getAttachment(id, 'f', { stream: true }), bytes) },
    async drop ({ db }, { id }) {
      await db.remove(await db.get(id))
      await db.compact()
    }
  },
  server: {
    start: ({ folder, storage }) => require('../http/servers').servePotoroo({ path: folder, port: 0, storage })
  }
}

let face, subject

const steps = {
  async start (message) {
    face = faces[message.face]
    subject = await face.start(message)
    return { url: subject.url }
  },
  async close () {
    await subject.close()
    process.disconnect()
  },
  collect () { global.gc() },
  in: (message) => face.in(subject, message),
  out: (message) => face.out(subject, message),
  drop: (message) => face.drop(subject, message)
}

process.on('message', async (message) => {
  try {
    const answer = await steps[message.step](message)
    if (process.connected) process.send({ url: answer?.url })
  } catch (error) {
    process.send({ error: error.stack })
  }
})
