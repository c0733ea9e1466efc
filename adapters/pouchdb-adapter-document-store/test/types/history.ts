import 'pouchdb-adapter-pmem'

// Checked by `npm run types`, not run.
export async function undo (db: PouchDB.Database<{ n: number }>): Promise<string | null> {
  await db.keepHistory({ retain: '30d', versions: 100 })
  const { history } = await db.history('a', { limit: 10 })
  await db.get('a', { at: new Date(), meta: true })
  await db.allDocs({ at: '2026-01-01', include_docs: true })
  const [result] = await db.restore({ at: history[0].seq, docs: ['a'] })
  // @ts-expect-error: it is a string with a unit
  await db.keepHistory({ retain: 30 })
  return 'ok' in result ? history[0].time : null
}
