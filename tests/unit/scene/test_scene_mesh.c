// test_scene_mesh.c: meshes from STL and OBJ files, heights from CSV files, and files gone wrong.
#include "file_support.h"

static const double CUBE[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int TRIANGLES[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                     {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                     {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static void add_facet(SpragText *text, const int corner[3], bool turned)
{
    sprag_text_add(text, "  facet normal 0 0 0\n    outer loop\n");
    for (int i = 0; i < 3; i++) {
        const double *v = CUBE[corner[turned ? 2 - i : i]];
        sprag_text_add(text, "      vertex %g %g %g\n", v[0], v[1], v[2]);
    }
    sprag_text_add(text, "    endloop\n  endfacet\n");
}

// A cube of edge 1 as text, without its last `missing` triangles.
static void write_cube(Folder *folder, SpragContext *context, const char *name, int missing,
                       bool turned)
{
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add(&text, "solid a cube, facet by facet\n");
    for (int t = 0; t < 12 - missing; t++)
        add_facet(&text, TRIANGLES[t], turned);
    sprag_text_add(&text, "endsolid a cube\n");
    folder_write(folder, name, text.bytes, text.length);
    sprag_text_destroy(&text);
}

enum { CUBE_BYTES = 84 + 12 * 50 };

static void make_binary(unsigned char bytes[CUBE_BYTES])
{
    memset(bytes, 0, CUBE_BYTES);
    memcpy(bytes, "solid but binary", 16); // some programs begin so
    bytes[80] = 12;
    for (int t = 0; t < 12; t++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                float number = (float)CUBE[TRIANGLES[t][i]][k];
                memcpy(bytes + 84 + 50 * t + 12 + 12 * i + 4 * k, &number, 4);
            }
}

static const char PART[] = "sprag: 1\ndimension: 3\nbodies:\n"
                           "  - {name: part, density: 1000, com: auto, shapes: [{mesh: {file: "
                           "%s, scale: 1 cm}}]}\n";
static const char GROUND[] = "sprag: 1\ndimension: 3\nbodies:\n"
                             "  - {name: ground, fixed: true, shapes: [{mesh: {file: %s}%s}]}\n";

static void put_scene(Folder *folder, const char *format, const char *file, const char *more)
{
    char text[400];
    snprintf(text, sizeof text, format, file, more);
    folder_put(folder, "s.yaml", text);
}

// A convex body of 1 cm: mass, corners, faces.
static void check_cube(const Folder *folder, SpragContext *context)
{
    SpragScene *scene = folder_read(folder, context, "s.yaml", NULL, 0);
    const SpragModel *model = sprag_scene_model(scene);
    const SpragShape *shape = &model->shapes[0];
    assert_int_equal(shape->kind, SPRAG_SHAPE_MESH);
    assert_int_equal(shape->vertex_count, 8);
    assert_int_equal(shape->solid->face_count, 6);
    assert_int_equal(shape->solid->edge_count, 12);
    assert_close(model->bodies[0].mass, 1e-3, 1e-15);
    assert_close(model->bodies[0].tensor[1], 1e-3 * 1e-4 / 6, 1e-20);
    assert_close(model->bodies[0].com[2], 0.005, 1e-15);
    assert_string_equal(shape->vertex_names[7], "c7");
    sprag_scene_destroy(scene);
}

static void test_formats(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    write_cube(&folder, context, "cube.stl", 0, false);
    put_scene(&folder, PART, "cube.stl", "");
    check_cube(&folder, context);
    unsigned char bytes[CUBE_BYTES];
    make_binary(bytes);
    folder_write(&folder, "cube.STL", bytes, sizeof bytes);
    put_scene(&folder, PART, "cube.STL", "");
    check_cube(&folder, context);
    // quadrilaterals, texture and normal numbers, counting back, an idle point, a doubled one
    folder_put(&folder, "cube.obj",
               "# a cube\nmtllib x.mtl\no cube\nv 5 5 5\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\r\n"
               "v 0 0 1 1.0\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0 0 0 # again\nvn 0 0 1\ng sides\n"
               "f 10 5 4 3\nf 6/1 7/2 8/3 9/4\nf 2//1 3//1 7//1 6//1\nf 3 4 8 7\nf -7 -6 -2 -3\n"
               "f 5 2 6 9\n");
    put_scene(&folder, PART, "cube.obj", "");
    check_cube(&folder, context);
    folder_close(&folder);
    sprag_context_destroy(context);
}

// On a fixed body a mesh may be open; inside: true turns it over.
static void test_fixed(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    write_cube(&folder, context, "open.stl", 2, false);
    put_scene(&folder, GROUND, "open.stl", "");
    SpragScene *scene = folder_read(&folder, context, "s.yaml", NULL, 0);
    const SpragShape *shape = &sprag_scene_model(scene)->shapes[0];
    assert_null(shape->solid);
    assert_int_equal(shape->surface->triangle_count, 10);
    assert_int_equal(shape->vertex_count, 0);
    assert_close(shape->surface->normals[0].z, -1, 0);
    sprag_scene_destroy(scene);
    put_scene(&folder, GROUND, "open.stl", ", inside: true, at: [0, 0, 2]");
    scene = folder_read(&folder, context, "s.yaml", NULL, 0);
    shape = &sprag_scene_model(scene)->shapes[0];
    assert_close(shape->surface->normals[0].z, 1, 0);
    assert_close(shape->surface->vertices[0].z, 2, 0);
    sprag_scene_destroy(scene);
    write_cube(&folder, context, "closed.stl", 0, true);
    put_scene(&folder, GROUND, "closed.stl", "");
    folder_refuse(&folder, context, "s.yaml", "inverted");
    write_cube(&folder, context, "closed.stl", 0, false);
    put_scene(&folder, GROUND, "closed.stl", ", inside: true");
    scene = folder_read(&folder, context, "s.yaml", NULL, 0);
    assert_close(sprag_scene_model(scene)->shapes[0].surface->normals[0].z, 1, 0);
    sprag_scene_destroy(scene);
    folder_close(&folder);
    sprag_context_destroy(context);
}

static void refuse_file(Folder *folder, SpragContext *context, const char *name, const void *bytes,
                        size_t length, const char *fragment)
{
    folder_write(folder, name, bytes, length);
    put_scene(folder, PART, name, "");
    folder_refuse(folder, context, "s.yaml", fragment);
}

static void refuse_content(Folder *folder, SpragContext *context, const char *name,
                           const char *text, const char *fragment)
{
    refuse_file(folder, context, name, text, strlen(text), fragment);
    folder_refuse(folder, context, "s.yaml", "s.yaml:4:"); // and where the scene names it
}

static void test_bad_files(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    refuse_content(&folder, context, "a.stl", "", "the file is empty");
    refuse_content(&folder, context, "a.stl", "hello", "no STL file");
    refuse_content(&folder, context, "a.stl", "solid x\nendsolid x\n", "no triangles");
    refuse_content(&folder, context, "a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0",
                   "a.stl:4: a finite number is missing, got the end of the file");
    refuse_content(&folder, context, "a.stl",
                   "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", "a.stl:4:");
    refuse_content(&folder, context, "a.stl",
                   "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e99\n", "a.stl:4:");
    refuse_content(&folder, context, "a.stl", "solid x\nfacet nomal 0 0 1\n",
                   "a.stl:2: normal is missing, got nomal");
    refuse_content(&folder, context, "a.stl",
                   "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 "
                   "1 0\nendloop\nendfacet\n",
                   "a.stl:9: endsolid is missing");
    refuse_content(&folder, context, "a.obj", "v 0 0\n", "a.obj:1: v needs three");
    refuse_content(&folder, context, "a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n",
                   "a.obj:3: f names point 3, but there are 2");
    refuse_content(&folder, context, "a.obj", "v 0 0 0\nf 0 1 1\n", "f names point 0");
    refuse_content(&folder, context, "a.obj", "v 0 0 0\nf 1 1\n", "at least 3 points");
    refuse_content(&folder, context, "a.obj", "v 0 0 0\nf 1 a 1\n", "numbers of points");
    refuse_content(&folder, context, "a.obj", "v 0 0 0\nf 99999999999999999 1 1\n", "numbers of");
    refuse_content(&folder, context, "a.obj", "v 0 0 0\nf 1 1 1\n", "corners coincide");
    refuse_content(&folder, context, "a.obj", "v 0 0 0\nsurf 0 1\n", "a.obj:2: an OBJ file");
    refuse_content(&folder, context, "a.ply", "ply\n", ".stl or .obj");
    // binary: cut short, too long, a count that no memory holds, a number that is none
    unsigned char bytes[CUBE_BYTES + 1] = {0};
    make_binary(bytes);
    refuse_file(&folder, context, "a.stl", bytes, CUBE_BYTES - 7,
                "byte 80: 12 triangles would make a file of 684 bytes, but it has 677");
    refuse_file(&folder, context, "a.stl", bytes, CUBE_BYTES + 1, "but it has 685");
    memset(bytes + 80, 0xff, 4);
    refuse_file(&folder, context, "a.stl", bytes, CUBE_BYTES, "4294967295 triangles");
    make_binary(bytes);
    memset(bytes + 84 + 12, 0xff, 4);
    refuse_file(&folder, context, "a.stl", bytes, CUBE_BYTES, "byte 96: corner 0 of triangle 0");
    write_cube(&folder, context, "a.stl", 1, false);
    put_scene(&folder, PART, "a.stl", "");
    folder_refuse(&folder, context, "s.yaml", "a.stl: the mesh is open");
    write_cube(&folder, context, "a.stl", 0, true);
    folder_refuse(&folder, context, "s.yaml", "a.stl: the mesh is inverted");
    folder_close(&folder);
    sprag_context_destroy(context);
}

static void test_heights(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    folder_put(&folder, "g.csv", "# heights in mm\n0, 10, 0\n\n5;15 , 5\r\n");
    folder_put(
        &folder, "s.yaml",
        "sprag: 1\ndimension: 3\nbodies:\n  - {name: g, fixed: true, shapes: [{height-field: "
        "{file: g.csv, scale: 1 mm, spacing: [0.5, 2]}}]}\n");
    SpragScene *scene = folder_read(&folder, context, "s.yaml", NULL, 0);
    const SpragSurface *surface = sprag_scene_model(scene)->shapes[0].surface;
    assert_int_equal(surface->vertex_count, 6);
    assert_close(surface->vertices[5].x, 0.5, 0);
    assert_close(surface->vertices[5].y, 1, 0);
    assert_close(surface->vertices[4].z, 0.015, 1e-17);
    assert_int_equal(sprag_scene_model(scene)->shapes[0].kind, SPRAG_SHAPE_FIELD);
    sprag_scene_destroy(scene);
    folder_put(&folder, "g.csv", "0,1\n0,x\n");
    folder_refuse(&folder, context, "s.yaml", "line 2 of the heights: number 2 is none: x");
    folder_put(&folder, "g.csv", "0,1\n0,1,2\n");
    folder_refuse(&folder, context, "s.yaml", "row 1 of the heights has 3 numbers");
    folder_put(&folder, "g.csv", "");
    folder_refuse(&folder, context, "s.yaml", "at least 2 rows");
    folder_close(&folder);
    sprag_context_destroy(context);
}

static void test_memory(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    write_cube(&folder, context, "cube.stl", 0, false);
    put_scene(&folder, PART, "cube.stl", "");
    folder_read_short_of_memory(&folder, "s.yaml");
    put_scene(&folder, GROUND, "cube.stl", "");
    folder_read_short_of_memory(&folder, "s.yaml");
    folder_close(&folder);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),   cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_heights),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
