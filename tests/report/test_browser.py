# SPDX-License-Identifier: BSD-3-Clause
"""Opens HTML reports in a headless Chromium and does what a reader does: clicks a break, searches a node, steps through the
stages, zooms, prints, changes the colours. Nothing may stand in the console, and nothing may be asked of a network.

    python3 test_browser.py DYNASCOPE_CLI SAMPLES [FOLDER FOR PICTURES]

Without a Chromium it is skipped (status 77). Debian's package is called chromium; DYNASCOPE_TEST_BROWSER names another one.
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

import browser

CLI, SAMPLES, PICTURES = "", "", ""

# Text against what stands behind it, by WCAG 2: the least ratio, and whose text it is.
CONTRAST = """(() => {
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return {rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : 1}; };
  const light = rgb => rgb.map(c => c / 255).map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const behind = at => {
    for (let e = at; e; e = e.parentElement) {
      const card = e.matches?.('g.n') && !at.closest('.sign') ? e.querySelector('rect.c:last-of-type, rect.c') : null;
      const disc = at.closest('.sign') && e.matches?.('.sign') ? e.querySelector('circle') : null;
      if (card || disc) return parse(getComputedStyle(card || disc).fill).rgb;
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.alpha > 0) return colour.rgb;
    }
    return [255, 255, 255];
  };
  let worst = [99, ''];
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const at = text.parentElement;
    if (!text.data.trim() || at.matches('script, style, title') || !at.getClientRects().length) continue;
    const style = getComputedStyle(at), svg = at instanceof SVGElement, front = parse(svg ? style.fill : style.color).rgb, back = behind(at);
    const key = front + '/' + back;
    if (seen.has(key)) continue;
    seen.add(key);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    if (ratio < worst[0]) worst = [ratio, `${at.tagName}.${at.getAttribute('class')} in ${at.parentElement.getAttribute('class')}: "${text.data.trim().slice(0, 30)}" ${front} on ${back}`];
  }
  return [...worst, seen.size];
})()"""


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="dynascope-report-")
        cls.files = {}
        for name in ("graph_breaks", "view_mutation", "encoder_train"):
            cls.files[name] = os.path.join(cls.folder.name, name + ".html")
            limits = ["--max-graph-breaks", "3", "--max-compile-seconds", "900"] if name == "graph_breaks" else []
            done = subprocess.run([CLI, "report", os.path.join(SAMPLES, name + ".log"), "-o", cls.files[name], *limits],
                                  capture_output=True, text=True)
            assert done.returncode == (1 if limits else 0), done.stderr
        cls.page = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.folder.cleanup()

    def open(self, name):
        page = self.page
        page.complaints.clear()
        page.requests.clear()
        page.resize(1600, 1000)
        page.media()
        page.open(self.files[name])
        return page

    def shot(self, name):
        if PICTURES:
            self.page.shot(os.path.join(PICTURES, name + ".png"))

    def in_view(self, selector):
        return self.page.run(f"""(() => {{
            const at = document.querySelector('{selector}'), box = at?.getBoundingClientRect();
            return !!box && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        }})()""")

    def comes_in_view(self, selector, seconds=5):
        """After a link: the browser scrolls when it has laid out what the link opened."""
        until = time.monotonic() + seconds
        while not self.in_view(selector):
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def quiet(self):
        self.assertEqual(self.page.complaints, [])
        elsewhere = [url for url in self.page.requests if url not in {"file://" + path for path in self.files.values()}]
        self.assertEqual(elsewhere, [])

    def test_break_shows_its_line(self):
        page = self.open("graph_breaks")
        self.assertFalse(self.in_view("#b2-d pre mark"))
        page.click("#b2 button.open")
        self.assertTrue(self.in_view("#b2-d pre mark"))
        self.assertIn('print("h norm"', page.run("document.querySelector('#b2-d pre mark').textContent"))
        self.assertIn("30", page.run("document.querySelector('#b2-d pre mark i').textContent"))
        self.assertIn("reorderable_logging_functions", page.run("document.querySelector('#b2-d').textContent"))
        self.shot("break")
        # The link leads to the line in the appendix, which opens.
        page.click("#b2 a.at")
        self.assertTrue(self.comes_in_view("pre .l.on"))
        self.assertIn('print("h norm"', page.run("document.querySelector('pre .l.on').textContent"))
        page.click("#b2 button.open")
        self.assertFalse(self.in_view("#b2-d pre mark"))
        self.quiet()

    def test_search_finds_a_node(self):
        page = self.open("view_mutation")
        page.press("/", "/")
        self.assertEqual(page.run("document.activeElement.id"), "search")
        page.type("select_scatter")
        self.assertIn("select_scatter", page.run("document.querySelector('#hits [aria-selected=true]').textContent"))
        page.press("Enter", "\r", 13)
        self.assertIn("select_scatter", page.run("document.querySelector('.paneB .n.on title').textContent"))
        self.assertTrue(self.in_view(".paneB .n.on"))
        facts = page.run("document.querySelector('.side .node').innerText")
        for word in ("aten.select_scatter.default", "f32", "[4, 5]", "[5, 1] elements", "cap.py:43", "only in B"):
            self.assertIn(word, facts)
        self.shot("search")
        # A search for nothing that is there says so.
        page.press("/", "/")
        page.type("no such thing at all")
        self.assertIn("Nothing here holds", page.run("document.querySelector('#hits').textContent"))
        page.press("Escape", "", 27)
        self.assertTrue(page.run("document.querySelector('#hits').hidden"))
        self.quiet()

    def test_search_finds_breaks_and_lines(self):
        page = self.open("graph_breaks")
        for text, row in (("builtin print", "#b2-d"), ("size mismatch", "tr.detail[id^=r][data-open]")):
            page.press("/", "/")
            page.run("document.getElementById('search').value = ''")
            page.type(text)
            page.press("Enter", "\r", 13)
            self.assertTrue(page.run(f"document.querySelector('{row}')?.offsetHeight > 0"), text)
        self.quiet()

    def test_stages_and_nodes(self):
        page = self.open("view_mutation")
        steps = page.run("document.querySelectorAll('.strip a').length")
        self.assertGreaterEqual(steps, 8)
        # What changed is shown at first: a write through a view became a functional one.
        self.assertEqual(page.run("document.querySelectorAll('.paneA .cr').length"), 1)
        self.assertEqual(page.run("document.querySelectorAll('.paneB .ca').length"), 3)
        self.assertIn("1 → 3", page.run("document.querySelector('.gutter').textContent"))
        self.shot("stages")
        page.click(".paneB .n.ca")
        self.assertEqual(page.run("document.querySelectorAll('.paneB .n.on').length"), 1)
        self.assertIn("from", page.run("document.querySelector('.side .node').innerText"))
        page.click(".side .node h3 button")
        self.assertEqual(page.run("document.querySelectorAll('.paneB .n.on').length"), 0)
        for step in range(steps):
            page.run(f"document.querySelectorAll('.strip a')[{step}].scrollIntoView({{block: 'center'}})")
            page.run(f"document.querySelectorAll('.strip a')[{step}].click()")
            shown = page.run("document.querySelector('.paneB header').textContent")
            name = page.run(f"document.getElementById(document.querySelectorAll('.strip a')[{step}].dataset.stage).dataset.name")
            self.assertIn(name, shown)
            self.assertTrue(page.run("!!document.querySelector('.paneB .view > svg, .paneB .view > pre')"), name)
        self.quiet()

    def test_blocks_open(self):
        page = self.open("encoder_train")
        page.run("document.querySelector('.compile').open = true")
        page.run("document.querySelectorAll('.strip a')[1].click()")
        cards = page.run("document.querySelectorAll('.paneB .n').length")
        nodes = page.run("document.querySelector('.viewer .stage.shown').dataset.size")
        self.assertLess(cards, int(nodes.split()[0]) / 4)
        blocks = page.run("[...document.querySelectorAll('.stage.shown .inside')].map(inside => inside.dataset.of)")
        self.assertTrue(blocks)
        page.click(f".paneB .n[data-i='{blocks[0]}']")
        listed = page.run("document.querySelectorAll('.side .node button.link').length")
        self.assertGreater(listed, 4)
        page.click(".side .node > button")
        inside = page.run("document.querySelectorAll('.paneB .n[data-n]').length")
        self.assertGreater(inside, 4)
        self.shot("inside")
        page.click(".paneB .n[data-n]")
        self.assertEqual(page.run("document.querySelectorAll('.paneB .n.on').length"), 1)
        name = page.run("document.querySelector('.side .node h3').textContent")
        self.assertIn(name.rstrip("✕"), page.run("document.querySelector('.paneB .n.on title').textContent"))
        page.click(".paneB header button")
        self.assertEqual(page.run("document.querySelectorAll('.paneB .n').length"), cards)
        self.quiet()

    def test_keyboard(self):
        page = self.open("view_mutation")
        page.run("document.querySelector('.paneB .view').focus()")
        box = "document.querySelector('.paneB svg').getAttribute('viewBox').split(' ').map(Number)"
        before = page.run(box)
        page.press("+", "+", 187)
        self.assertLess(page.run(box)[2], before[2])
        page.press("ArrowDown", "", 40)
        page.press("ArrowRight", "", 39)
        self.assertGreater(page.run(box)[0], before[0])
        page.press("0", "0", 48)
        self.assertEqual(page.run(box), before)
        # Tab goes into the picture and from node to node; Enter tells of one.
        page.press("Tab", "", 9)
        page.press("Tab", "", 9)
        second = page.run("document.activeElement.dataset.i")
        self.assertEqual(second, page.run("document.querySelectorAll('.paneB .n')[1].dataset.i"))
        page.press("Enter", "\r", 13)
        self.assertEqual(page.run("document.querySelector('.paneB .n.on').dataset.i"), second)
        # Arrow keys on a stage step through them.
        page.run("document.querySelectorAll('.strip a')[2].focus()")
        page.press("ArrowRight", "", 39)
        self.assertEqual(page.run("[...document.querySelectorAll('.strip li')].findIndex(li => li.className === 'b')"), 3)
        self.quiet()

    def test_contrast_in_light_and_dark(self):
        for name in self.files:
            for dark in (False, True):
                page = self.open(name)
                page.media(dark=dark)
                page.run("openAll(true)")
                page.run("document.querySelector('.paneB .n')?.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
                ratio, where, pairs = page.run(CONTRAST)
                self.assertGreater(pairs, 8)
                self.assertGreaterEqual(ratio, 4.5, f"{name}, {'dark' if dark else 'light'}: {where}")
                page.run("openAll(false); scrollTo(0, 0)")
                self.shot(f"{name}-{'dark' if dark else 'light'}")
        self.quiet()

    def test_theme_can_be_chosen(self):
        page = self.open("view_mutation")
        colour = "getComputedStyle(document.body).backgroundColor"
        light = page.run(colour)
        page.click("#theme")
        dark = page.run(colour)
        self.assertNotEqual(light, dark)
        page.media(dark=True)
        page.click("#theme")
        self.assertEqual(page.run(colour), light)
        self.quiet()

    def test_prints_with_every_section_open(self):
        page = self.open("graph_breaks")
        page.media("print")
        page.run("dispatchEvent(new Event('beforeprint'))")
        hidden = page.run("""[...document.querySelectorAll('tr.detail, details > pre, .stage, .stage > .pic, .stage pre')]
            .filter(at => !at.getClientRects().length).length""")
        self.assertEqual(hidden, 0)
        self.assertEqual(page.run("document.querySelector('body > nav').getClientRects().length"), 0)
        # Paper is white, whatever the colours on the screen.
        page.media("print", dark=True)
        ratio, where, _ = page.run(CONTRAST)
        self.assertGreaterEqual(ratio, 4.5, where)
        self.assertEqual(page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        page.run("dispatchEvent(new Event('afterprint'))")
        page.media()
        self.assertEqual(page.run("document.querySelectorAll('details.compile[open]').length"), 1)
        self.quiet()

    def test_nothing_else_runs_or_loads(self):
        page = self.open("view_mutation")
        page.run("""(() => {
            const script = document.createElement('script'), image = document.createElement('img');
            script.textContent = 'window.evil = 1';
            image.setAttribute('onerror', 'window.evil = 2');
            image.src = 'https://example.com/x.png';
            document.body.append(script, image);
            return new Promise(done => setTimeout(done, 200));
        })()""")
        self.assertFalse(page.run("'evil' in window"))
        self.assertIn("TypeError", page.run("fetch('https://example.com/').catch(String)"))
        # Only what was tried stands in the console: refused, each of them.
        self.assertTrue(all("Content Security Policy" in text for text in page.complaints), page.complaints)
        self.assertGreaterEqual(len(page.complaints), 4)

    def test_texts_of_a_capture_stay_texts(self):
        text = os.path.join(self.folder.name, "hostile.txt")
        evil = "</script><img src=x onerror=window.evil=1><script>window.evil=2</script>"
        with open(text, "w", encoding="utf-8") as file:
            file.write(f"def forward(self, x):\n    sin = torch.sin(x, out='{evil}')\n    cos = torch.cos(sin);  sin = None\n    return cos\n")
        self.files["hostile"] = os.path.join(self.folder.name, "hostile.html")
        try:
            subprocess.run([CLI, "report", text, "-o", self.files["hostile"]], check=True)
            page = self.open("hostile")
            page.press("/", "/")
            page.type("torch.sin")
            page.press("Enter", "\r", 13)
            self.assertIn(evil, page.run("document.querySelector('.side .node').innerText"))
            self.assertFalse(page.run("'evil' in window"))
            self.assertEqual(page.run("document.images.length"), 0)
            self.quiet()
        finally:
            del self.files["hostile"]

    def test_narrow_windows(self):
        for name in self.files:
            page = self.open(name)
            for width, height in ((1280, 800), (800, 600)):
                page.resize(width, height)
                page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                self.assertLessEqual(page.run("document.documentElement.scrollWidth"), width)
                self.shot(f"{name}-{width}")
        self.quiet()

    def test_reads_without_scripts(self):
        page = self.open("graph_breaks")
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.open(self.files["graph_breaks"])
        page.call("Emulation.setScriptExecutionDisabled", value=False)
        self.assertFalse(page.run("document.documentElement.classList.contains('js')"))
        self.assertTrue(page.run("document.querySelector('#b2-d pre mark').offsetHeight > 0"))
        self.assertEqual(page.run("document.querySelector('#search').getClientRects().length"), 0)


if __name__ == "__main__":
    if not browser.find():
        print("skipped: no Chromium is installed (Debian: chromium), and DYNASCOPE_TEST_BROWSER names none")
        sys.exit(77)
    CLI, SAMPLES = sys.argv[1:3]
    PICTURES = sys.argv[3] if len(sys.argv) > 3 else ""
    unittest.main(argv=sys.argv[:1], verbosity=2)
