// Copying, also where the page is not served from this machine and the browser trusts it less.

import { announce } from './announce.svelte';

export async function copy(text: string, what: string): Promise<boolean> {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    document.body.append(area);
    area.select();
    // Old, but the only way without the clipboard's own interface.
    done = document.execCommand('copy');
    area.remove();
  }
  announce(done ? `${what} copied` : `${what} could not be copied`);
  return done;
}
