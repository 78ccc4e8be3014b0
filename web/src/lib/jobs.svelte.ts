// Long work on the server. It goes on when the browser is closed; this only looks on.

import type { Job } from './api';

export const over = (job: Job | null): boolean =>
  job !== null && ['done', 'failed', 'cancelled'].includes(job.status);

/** Follows a job until it is over; call the result to look away. */
export function follow(id: number, seen: (job: Job) => void): () => void {
  let subject: string | undefined;
  const source = new EventSource(`/api/jobs/${id}/events`);
  source.addEventListener('job', (event) => {
    const job = JSON.parse((event as MessageEvent<string>).data) as Job;
    // A server that was started again counts its jobs anew: this may be another one.
    subject ??= job.subject;
    if (job.subject !== subject) return source.close();
    seen(job);
    // The server closes the stream then; the browser would open it again.
    if (over(job)) source.close();
  });
  return () => source.close();
}
