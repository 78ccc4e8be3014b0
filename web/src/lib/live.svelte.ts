// Long work on the server, as it goes on. It does not stop when the browser is closed; this only looks on. Asked
// for again and again instead of streamed: a browser keeps few streams open, and every tab would take some.

import { announce } from './announce.svelte';
import { get, type Job } from './api';

export const over = (job: Job | null | undefined): boolean =>
  job !== null && job !== undefined && ['done', 'failed', 'cancelled'].includes(job.status);

const WORKING = 400;
const IDLE = 1500;

let list = $state.raw<Job[]>([]);
/** Grows whenever a job begins, ends, or was not there before. */
let changes = $state(0);
let known = '';
let lookers = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

async function look(): Promise<void> {
  clearTimeout(timer);
  try {
    const jobs = await get<Job[]>('/api/jobs');
    const working = new Set(list.filter((job) => !over(job)).map((job) => job.id));
    for (const job of jobs) {
      if (over(job) && working.has(job.id)) announce(`${job.title}: ${job.error ?? (job.message || job.status)}`);
    }
    list = jobs;
    const now = jobs.map((job) => `${job.id}${job.kind}${job.subject}${job.status}`).join();
    if (now !== known) {
      known = now;
      changes += 1;
    }
  } catch {
    // The server may come back.
  }
  clearTimeout(timer);
  if (lookers > 0) timer = setTimeout(() => void look(), list.some((job) => !over(job)) ? WORKING : IDLE);
}

export const live = {
  get jobs() {
    return list;
  },
  get changes() {
    return changes;
  },
  /** The newest job of a kind on a subject. */
  job(kind: Job['kind'], subject: string): Job | undefined {
    return list.find((job) => job.kind === kind && job.subject === subject);
  },
  /** Unfinished jobs of a kind. */
  working(kind: Job['kind']): Job[] {
    return list.filter((job) => job.kind === kind && !over(job));
  },
};

/** Looks on until the result is called; for an `$effect`. */
export function lookOn(): () => void {
  lookers += 1;
  void look();
  return () => {
    lookers -= 1;
    if (lookers === 0) clearTimeout(timer);
  };
}

/** Looks now, because something was just begun. */
export const lookNow = (): Promise<void> => look();
